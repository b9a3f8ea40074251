import { runInThisContext } from 'node:vm';

/** The growth of a function's time with the size of its input. */
export interface Growth {
  /**
   * The three measured sizes, each four times the previous one; a single size if even the largest input is too
   * cheap to measure.
   */
  readonly sizes: readonly number[];
  /** The CPU time of each size, the best of its runs. */
  readonly milliseconds: readonly number[];
  /** The exponent of the growth: about 1 for linear work, 2 for quadratic work, 0 for constant work. */
  readonly exponent: number;
}

export interface GrowthOptions {
  /** The first size, in the unit of `make`. Default 64. */
  start?: number;
  /** The largest first size, if the work stays too short to be measured. Default 65,536. */
  max?: number;
  /** The most runs of each size, of which the best one is used. Default 3. */
  runs?: number;
  /** Milliseconds after which a run fails. Default 5,000. */
  timeoutMs?: number;
}

/** Shorter work is not compared, because the noise of the machine would determine the result. */
const measurableMilliseconds = 2;
/** Linear work of a measurable size ends a hundred times sooner. */
const defaultTimeoutMs = 5_000;
/** Between `n log n` with the costs of the garbage collector and caches (1.3), and quadratic work (2). */
const superLinear = 1.6;
/**
 * From each size to the next. Two such steps separate linear (16 times the work) from quadratic work (256 times) by
 * so much that a processor which other work slows to half of its speed does not hide the difference.
 */
const step = 4;
/** The number of consecutive super-linear measurements that count as a finding. */
const attempts = 3;

/** The time of the work grows faster than its input. */
export class GrowthError extends Error {}

const growthText = ({ sizes, milliseconds, exponent }: Growth): string => {
  const points = sizes.map((size, i) => `${size}: ${milliseconds[i]?.toFixed(1)} ms`);
  return `the time grows with the power ${exponent.toFixed(2)} of the size (${points.join(', ')})`;
};

/**
 * Runs synchronous work on inputs of growing size. Throws {@link GrowthError} if its time grows clearly
 * faster than linearly, or if one run exceeds the timeout. Errors of the work are results: a parser may refuse its
 * input.
 */
export function expectLinear<T>(
  make: (size: number) => T,
  work: (input: T) => unknown,
  options: GrowthOptions = {},
): Growth {
  let growth = measureGrowth(make, work, options);
  for (let i = 1; i < attempts && growth.exponent > superLinear; i++) {
    growth = measureGrowth(make, work, options);
  }
  if (growth.exponent > superLinear) throw new GrowthError(growthText(growth));
  return growth;
}

/** Measures the growth of synchronous work. See {@link expectLinear}. */
export function measureGrowth<T>(
  make: (size: number) => T,
  work: (input: T) => unknown,
  { start = 64, max = 65_536, runs = 3, timeoutMs = defaultTimeoutMs }: GrowthOptions = {},
): Growth {
  const timed = (input: T) => timeOf(input, work, timeoutMs);
  let size = start;
  let first = bestTime(make, timed, size, runs);
  while (first < measurableMilliseconds && size < max) {
    size *= 2;
    first = bestTime(make, timed, size, runs);
  }
  if (first < measurableMilliseconds) return { sizes: [size], milliseconds: [first], exponent: 0 };
  const sizes = [size, size * step, size * step ** 2];
  const milliseconds = [first, Infinity, Infinity];
  let exponent = Infinity;
  // The sizes alternate, because the compiler makes later runs faster. The smallest size is the last one: what is linear then is linear, so
  // further runs are only for what is not.
  for (let run = 0; run < runs && exponent > superLinear; run++) {
    for (const [i, each] of [...sizes.entries()].reverse()) {
      milliseconds[i] = Math.min(milliseconds[i] ?? Infinity, timed(make(each)));
    }
    exponent = Math.log((milliseconds[2] ?? 0) / (milliseconds[0] ?? 1)) / Math.log(step ** 2);
  }
  return { sizes, milliseconds, exponent };
}

/** Each run has a new input, so that caches have no effect. */
function bestTime<T>(
  make: (size: number) => T,
  timed: (input: T) => number,
  size: number,
  runs: number,
): number {
  return Math.min(...Array.from({ length: runs }, () => timed(make(size))));
}

function timeOf<T>(input: T, work: (input: T) => unknown, timeoutMs: number): number {
  const before = process.threadCpuUsage();
  interruptible(timeoutMs, () => {
    try {
      work(input);
    } catch (error) {
      if (isTimeout(error)) throw error;
    }
  });
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}

const isTimeout = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';

/** Calls a function and terminates it after the timeout, even inside of a regular expression. */
function interruptible(timeout: number, work: () => void): void {
  const key = Symbol.for('annex.testkit.growth');
  const place = globalThis as unknown as Record<symbol, unknown>;
  place[key] = work;
  try {
    runInThisContext("globalThis[Symbol.for('annex.testkit.growth')]()", { timeout });
  } catch (error) {
    throw isTimeout(error) ? new GrowthError(`a run takes more than ${timeout / 1000} s`) : error;
  } finally {
    delete place[key];
  }
}
