/** The time slice of a loop, in milliseconds. */
const sliceMs = 2;

/** Loops that wait for their next time slice, in order; those before `first` have had it. */
let waiting: (() => void)[] = [];
let first = 0;

/** Returns whether a long loop waits for its time slice. */
export const isContended = (): boolean => waiting.length > 0;

function nextSlice(): Promise<void> {
  return new Promise((resolve) => {
    if (waiting.push(resolve) === 1) setImmediate(resumeOne);
  });
}

/** Resumes one loop in each turn of the event loop. */
function resumeOne(): void {
  const resume = waiting[first++];
  if (first < waiting.length) setImmediate(resumeOne);
  else [waiting, first] = [[], 0];
  resume?.();
}

/**
 * Paces a long loop: the function returns `undefined` until the time slice is used up, and then a promise that resolves in a later
 * turn of the event loop. All paced loops share it, one in each turn: many long lists delay a short request no more than one does.
 * Call it for each item; most calls only read the clock.
 */
export function createPacer(): () => Promise<void> | undefined {
  let began = performance.now();
  return () => {
    if (performance.now() - began < sliceMs) return undefined;
    return nextSlice().then(() => {
      began = performance.now();
    });
  };
}
