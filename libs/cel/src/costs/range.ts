/** The bounds of a size or cost, both inclusive and at most `unbounded`. */
export interface Range {
  readonly min: number;
  readonly max: number;
}

/** The greatest bound. Sizes and costs are unsigned 64-bit integers; larger results saturate. */
export const unbounded = 2 ** 64;

/** The size of a value about which nothing is known. */
export const unknownRange: Range = { min: 0, max: unbounded };

/** Returns the range of a single value. */
export function exactly(value: number): Range {
  return { min: value, max: value };
}

/** Adds two ranges; bounds saturate at `unbounded`. */
export function addRanges(a: Range, b: Range): Range {
  return { min: bounded(a.min + b.min), max: bounded(a.max + b.max) };
}

/** Multiplies two ranges; bounds saturate at `unbounded`. */
export function multiplyRanges(a: Range, b: Range): Range {
  return { min: bounded(a.min * b.min), max: bounded(a.max * b.max) };
}

/** Multiplies a range by a factor and rounds both bounds up. */
export function scaleRange({ min, max }: Range, factor: number): Range {
  return { min: bounded(Math.ceil(min * factor)), max: bounded(Math.ceil(max * factor)) };
}

/** Returns the smallest range that contains both ranges. */
export function spanRanges(a: Range, b: Range): Range {
  return { min: Math.min(a.min, b.min), max: Math.max(a.max, b.max) };
}

function bounded(value: number): number {
  return Math.min(value, unbounded);
}
