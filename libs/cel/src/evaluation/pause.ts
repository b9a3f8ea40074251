/**
 * Ends a pass of an evaluation, which no operator absorbs. It does not extend `Error`: it needs no stack trace.
 */
export class Pause {}

const only = new Pause();

/**
 * Ends a pass of the current evaluation, which starts again in the next pass. A value that is computed on first use calls it where it
 * is not known yet.
 */
export function pauseEvaluation(): never {
  throw only;
}
