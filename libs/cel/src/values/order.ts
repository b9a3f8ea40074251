import { fail } from '../errors.ts';
import { Duration, Timestamp } from './time.ts';
import { compareNumbers, type Value } from './value.ts';

/** Compares two values of the same type or of numeric types: negative, 0 or positive. Fails for other types. */
export function order(a: Value, b: Value): number {
  if (typeof a === 'string' && typeof b === 'string') return compareCodePoints(a, b);
  if (typeof a === 'boolean' && typeof b === 'boolean') return Number(a) - Number(b);
  if (a instanceof Timestamp && b instanceof Timestamp) return a.compare(b);
  if (a instanceof Duration && b instanceof Duration) return a.compare(b);
  if (a instanceof Uint8Array && b instanceof Uint8Array) return compareBytes(a, b);
  return orderNumbers(a, b);
}

/** Compares two numbers of any numeric type; fails for NaN. */
export function orderNumbers(a: Value, b: Value): number {
  if (typeof a === 'number' && typeof b === 'number' && a - b === a - b) return a - b;
  const numbers = compareNumbers(a, b);
  if (numbers === undefined) return fail('no such overload');
  return Number.isNaN(numbers) ? fail('NaN values cannot be ordered') : numbers;
}

export function compareBytes(a: Uint8Array, b: Uint8Array): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) if (a[i] !== b[i]) return a[i]! - b[i]!;
  return a.length - b.length;
}

/** Compares strings by code points. JavaScript compares UTF-16 code units, where surrogates sort before U+E000. */
export function compareCodePoints(a: string, b: string): number {
  if (a === b) return 0;
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const left = a.charCodeAt(i);
    const right = b.charCodeAt(i);
    if (left !== right) return orderOf(left) - orderOf(right);
  }
  return a.length - b.length;
}

function orderOf(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}
