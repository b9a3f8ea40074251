import { setImmediate as nextTurn } from 'node:timers/promises';
import { onTestFinished, vi } from 'vitest';

/** Makes time slices short until the end of the test: each look at the clock is a millisecond later than the last one. */
export function useShortSlices(): void {
  let now = performance.now();
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => ++now);
  onTestFinished(() => clock.mockRestore());
}

/** Waits for a result; calls in each turn of the event loop before it. Resolves to the number of turns, too. */
export async function duringTurns<T>(
  result: Promise<T>,
  call: (turn: number) => unknown = () => undefined,
): Promise<{ result: T; turns: number }> {
  let isDone = false;
  const done = () => (isDone = true);
  result.then(done, done);
  let turns = 0;
  for (; !isDone; turns++) {
    await call(turns);
    await nextTurn();
  }
  return { result: await result, turns };
}
