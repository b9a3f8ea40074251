/** Loops that wait for a turn, in order; those before `first` have had theirs. */
let waiting: (() => void)[] = [];
let first = 0;

/** Returns whether a loop waits for its turn. */
export const isContended = (): boolean => waiting.length > 0;

/**
 * Resolves in a later turn of the event loop, in which nothing else continues that waits here: twenty long loops hold
 * a turn no longer than one does. Node runs all that `setImmediate` has scheduled in one turn.
 */
export function ownTurn(): Promise<void> {
  return new Promise((resolve) => {
    if (waiting.push(resolve) === 1) setImmediate(resumeOne);
  });
}

function resumeOne(): void {
  const resume = waiting[first++];
  if (first < waiting.length) setImmediate(resumeOne);
  else [waiting, first] = [[], 0];
  resume?.();
}
