import type { Random } from './random.ts';

/** A text that grows by repeating a unit. */
export interface GrownInput {
  prefix: Uint8Array;
  unit: Uint8Array;
  suffix: Uint8Array;
}

/** The cost of handling an input. */
export interface Effort {
  /** Executed branches of the instrumented code. */
  steps: number;
  milliseconds: number;
}

/** Returns an input of about `bytes` bytes. */
export function grown({ prefix, unit, suffix }: GrownInput, bytes: number): Uint8Array {
  const times = Math.max(1, Math.floor((bytes - prefix.length - suffix.length) / unit.length));
  const result = new Uint8Array(prefix.length + times * unit.length + suffix.length);
  result.set(prefix);
  for (let i = 0, at = prefix.length; i < times; i++, at += unit.length) result.set(unit, at);
  result.set(suffix, result.length - suffix.length);
  return result;
}

/** Splits an input at random into prefix, unit and suffix. */
export function randomGrowth(input: Uint8Array, random: Random): GrownInput {
  const start = random.below(Math.max(1, input.length));
  const length = 1 + random.below(Math.min(16, Math.max(1, input.length - start)));
  const unit = input.length === 0 ? Uint8Array.of(random.below(256)) : input.subarray(start, start + length);
  const suffixFrom = random.below(3) === 0 ? input.length : start + unit.length;
  return { prefix: input.subarray(0, start), unit, suffix: input.subarray(suffixFrom) };
}

/** Maximum ratio for an input of four times the size: linear code has a ratio of 4, quadratic code of 16. */
const maxRatio = 8;
/** Below this time, compilation and garbage collection determine the result. */
const minMilliseconds = 40;
const minSteps = 20_000;

/**
 * Measures whether the time grows faster than linearly, from a sixteenth of `maxBytes` up to `maxBytes`. Returns the measurements if it
 * does, twice in a row.
 */
export async function excessiveGrowth(
  growth: GrownInput,
  maxBytes: number,
  measure: (input: Uint8Array) => Promise<Effort>,
): Promise<string | undefined> {
  const sizes = [maxBytes >> 4, maxBytes >> 2, maxBytes];
  const efforts: Effort[] = [];
  for (const size of sizes) {
    let effort = await measure(grown(growth, size));
    const before = efforts.at(-1);
    if (before !== undefined && !grewTooMuch(before, effort)) return undefined;
    // The minimum of several runs, because other processes and garbage collection only add time.
    for (let i = 0; i < 2; i++) effort = least(effort, await measure(grown(growth, size)));
    efforts.push(effort);
    if (before !== undefined && !grewTooMuch(before, effort)) return undefined;
  }
  return sizes.map((size, i) => `${size} bytes: ${efforts[i]!.milliseconds.toFixed(1)} ms, ${efforts[i]!.steps} steps`).join('; '); // prettier-ignore
}

const grewTooMuch = (before: Effort, after: Effort): boolean =>
  (after.milliseconds > minMilliseconds && after.milliseconds > maxRatio * before.milliseconds) ||
  (after.steps > minSteps && after.steps > maxRatio * before.steps);

const least = (a: Effort, b: Effort): Effort => ({
  steps: Math.min(a.steps, b.steps),
  milliseconds: Math.min(a.milliseconds, b.milliseconds),
});
