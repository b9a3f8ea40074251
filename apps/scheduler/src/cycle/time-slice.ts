import { setImmediate as nextTurn } from 'node:timers/promises';

/** Milliseconds of a decision after which other work gets its turn. */
export const decisionSliceMs = 8;

/** Gives other work its turn when a decision takes long. The cluster does not change meanwhile: its changes wait for the end of the cycle. */
export class TimeSlice {
  #end = performance.now() + decisionSliceMs;
  #steps = 0;

  /** True if it is time for other work. */
  get isOver(): boolean {
    return performance.now() >= this.#end;
  }

  /** As `isOver`, for loops of short steps: the clock is read at every 16th step. */
  isOverAfterStep(): boolean {
    return ++this.#steps % 16 === 0 && this.isOver;
  }

  /** Resolves after other work. */
  async pause(): Promise<void> {
    await nextTurn();
    this.#end = performance.now() + decisionSliceMs;
  }
}

/** Uses every item. Returns a promise if that takes longer than a slice: other work then gets its turns. */
export function inSlices<T>(items: readonly T[], use: (item: T) => void): Promise<void> | undefined {
  const slice = new TimeSlice();
  const iterator = items.values();
  for (const item of iterator) {
    use(item);
    if (slice.isOverAfterStep()) return useRest(iterator, use, slice);
  }
  return undefined;
}

async function useRest<T>(items: Iterable<T>, use: (item: T) => void, slice: TimeSlice): Promise<void> {
  await slice.pause();
  for (const item of items) {
    use(item);
    if (slice.isOverAfterStep()) await slice.pause();
  }
}
