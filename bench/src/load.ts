/** The measurement of a row: values in its unit and, for load, the number of operations and the time. */
export interface Measured {
  values: number[];
  operations?: number;
  seconds?: number;
}

/** Runs an operation repeatedly until the time is over; each worker waits for its response. */
export async function load(
  workers: number,
  seconds: number,
  operation: (worker: number) => Promise<unknown>,
): Promise<Measured> {
  const values: number[] = [];
  const begin = performance.now();
  const end = begin + seconds * 1000;
  const work = async (worker: number): Promise<void> => {
    for (let at = performance.now(); at < end;) {
      await operation(worker);
      const now = performance.now();
      values.push(now - at);
      at = now;
    }
  };
  await Promise.all(Array.from({ length: workers }, (_, worker) => work(worker)));
  return { values, operations: values.length, seconds: (performance.now() - begin) / 1000 };
}

/** Resolves to the milliseconds until an attempt succeeds; retries without a pause. */
export async function until(attempt: () => Promise<boolean>): Promise<number> {
  const begin = performance.now();
  const giveUp = begin + 60_000;
  while (!(await attempt())) {
    if (performance.now() > giveUp) throw new Error('it did not succeed within a minute');
  }
  return performance.now() - begin;
}
