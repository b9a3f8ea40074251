/** What a size or a cost lies between, both ends included; no bound is greater than `unbounded`. */
export interface Range {
  readonly min: number;
  readonly max: number;
}

/** The greatest bound: sizes and costs are unsigned integers of 64 bits, and what would exceed them stays there. */
export const unbounded = 2 ** 64;

/** The size of what nothing is known about. */
export const unknownRange: Range = { min: 0, max: unbounded };

export function exactly(value: number): Range {
  return { min: value, max: value };
}

export function addRanges(a: Range, b: Range): Range {
  return { min: bounded(a.min + b.min), max: bounded(a.max + b.max) };
}

export function multiplyRanges(a: Range, b: Range): Range {
  return { min: bounded(a.min * b.min), max: bounded(a.max * b.max) };
}

/** The range multiplied by a factor, with both ends rounded up. */
export function scaleRange({ min, max }: Range, factor: number): Range {
  return { min: bounded(Math.ceil(min * factor)), max: bounded(Math.ceil(max * factor)) };
}

/** The smallest range that both are within. */
export function spanRanges(a: Range, b: Range): Range {
  return { min: Math.min(a.min, b.min), max: Math.max(a.max, b.max) };
}

function bounded(value: number): number {
  return Math.min(value, unbounded);
}
