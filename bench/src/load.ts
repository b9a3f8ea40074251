/** What a row has measured: values in its unit and, for load, how much was done in how long. */
export interface Measured {
  values: number[];
  operations?: number;
  seconds?: number;
}

/** Runs an operation over and over, each worker waiting for its answer, until the time is up. */
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

/** Milliseconds until an attempt succeeds; tried again at once. */
export async function until(attempt: () => Promise<boolean>): Promise<number> {
  const begin = performance.now();
  const giveUp = begin + 60_000;
  while (!(await attempt())) {
    if (performance.now() > giveUp) throw new Error('it did not come to pass within a minute');
  }
  return performance.now() - begin;
}
