import { runInThisContext } from 'node:vm';

/** How the time of a function grows with the size of its input. */
export interface Growth {
  /** The three sizes that were measured, each twice the one before; one size where even the largest costs next to nothing. */
  readonly sizes: readonly number[];
  /** The CPU time of each size, the best of several runs. */
  readonly milliseconds: readonly number[];
  /** The power of the size that the time grows with: about 1 for linear work, 2 for quadratic work, 0 for constant work. */
  readonly exponent: number;
}

export interface GrowthOptions {
  /** The first size, in the unit of `make`. Default 64. */
  start?: number;
  /** The largest size that is tried where the work stays too short to be measured. Default 262,144. */
  max?: number;
  /** The runs of each size, of which the best one counts. Default 3. */
  runs?: number;
}

/** Work that is shorter is not compared: the noise of the machine would decide. */
const measurableMilliseconds = 5;
/** A run that takes longer has failed; linear work of a measurable size ends a hundred times sooner. */
const runTimeout = 5_000;
/** Lies between `n log n` with the cost of the garbage collector and caches (1.3), and quadratic work (2). */
const superLinear = 1.6;
/** How often the growth must be found to be super-linear before it is believed. */
const attempts = 3;

/** Work grows clearly faster than its input. */
export class GrowthError extends Error {}

const growthText = ({ sizes, milliseconds, exponent }: Growth): string => {
  const points = sizes.map((size, i) => `${size}: ${milliseconds[i]?.toFixed(1)} ms`);
  return `the time grows with the power ${exponent.toFixed(2)} of the size (${points.join(', ')})`;
};

/**
 * Runs synchronous work on inputs of doubling size. Throws {@link GrowthError} where its time grows clearly faster than
 * linearly, or where one run takes 5 s. Errors of the work itself are results like others: a parser may refuse its input.
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

/** Measures how the time of synchronous work grows. See {@link expectLinear}. */
export function measureGrowth<T>(
  make: (size: number) => T,
  work: (input: T) => unknown,
  { start = 64, max = 262_144, runs = 3 }: GrowthOptions = {},
): Growth {
  let size = start;
  let first = bestTime(make, work, size, runs);
  while (first < measurableMilliseconds && size < max) {
    size *= 2;
    first = bestTime(make, work, size, runs);
  }
  if (first < measurableMilliseconds) return { sizes: [size], milliseconds: [first], exponent: 0 };
  const sizes = [size, size * 2, size * 4];
  const milliseconds = sizes.map(() => Infinity);
  // In turns, for the compiler makes the later runs faster.
  for (let run = 0; run < runs; run++) {
    for (const [i, each] of sizes.entries()) {
      milliseconds[i] = Math.min(milliseconds[i] ?? Infinity, timeOf(make(each), work));
    }
  }
  const exponent = Math.log2((milliseconds[2] ?? 0) / (milliseconds[0] ?? 1)) / 2;
  return { sizes, milliseconds, exponent };
}

/** Each run has its own input, so that no run finds what an earlier one remembered. */
function bestTime<T>(
  make: (size: number) => T,
  work: (input: T) => unknown,
  size: number,
  runs: number,
): number {
  return Math.min(...Array.from({ length: runs }, () => timeOf(make(size), work)));
}

function timeOf<T>(input: T, work: (input: T) => unknown): number {
  const before = process.threadCpuUsage();
  interruptible(() => {
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

/** Calls a function that is ended when it takes too long, also inside of a regular expression. */
function interruptible(work: () => void): void {
  const key = Symbol.for('annex.testkit.growth');
  const place = globalThis as unknown as Record<symbol, unknown>;
  place[key] = work;
  try {
    runInThisContext("globalThis[Symbol.for('annex.testkit.growth')]()", { timeout: runTimeout });
  } catch (error) {
    throw isTimeout(error) ? new GrowthError(`a run takes more than ${runTimeout / 1000} s`) : error;
  } finally {
    delete place[key];
  }
}
