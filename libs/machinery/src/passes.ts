/**
 * Work on a value that may be as large as a body: it yields between passes over the value, and between the
 * parts of a pass, so that its caller can serve other requests.
 */
export type Passes<T> = Generator<undefined, T, undefined>;

/** Finishes the work at once. */
export function finish<T>(passes: Passes<T>): T {
  for (;;) {
    const { done, value } = passes.next();
    if (done === true) return value;
  }
}

/** Finishes the work in slices; `pause` returns a promise where other work should run first. */
export async function finishInSlices<T>(
  passes: Passes<T>,
  pause: () => Promise<void> | undefined,
): Promise<T> {
  for (;;) {
    const { done, value } = passes.next();
    if (done === true) return value;
    const paused = pause();
    if (paused !== undefined) await paused;
  }
}
