import { fail } from '../errors.ts';
import { Uint } from './value.ts';

/** An `int`, or the number of a `uint`: a `bigint` only beyond the safe integers. */
export type Integer = number | bigint;

const minInt = -(2n ** 63n);
const maxInt = 2n ** 63n - 1n;
const maxUint = 2n ** 64n - 1n;

/** Returns the representation of an integer; fails if it exceeds 64 bits. */
export function toInt(value: bigint, overflow = 'integer overflow'): Integer {
  if (value < minInt || value > maxInt) fail(overflow);
  return narrow(value);
}

/** Returns the representation of an unsigned integer; fails if it exceeds 64 bits. */
export function toUint(value: bigint, overflow = 'unsigned integer overflow'): Uint {
  if (value < 0n || value > maxUint) fail(overflow);
  return new Uint(narrow(value));
}

/** Converts to a `number` if that is exact. */
export function narrow(value: bigint): Integer {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}

// A result within the safe integers is exact, because inexact results round to values beyond them. Adding 0 turns -0 into 0.

export function addInt(a: Integer, b: Integer): Integer {
  if (typeof a === 'number' && typeof b === 'number') {
    const sum = a + b;
    if (Number.isSafeInteger(sum)) return sum;
  }
  return toInt(BigInt(a) + BigInt(b));
}

export function subtractInt(a: Integer, b: Integer): Integer {
  if (typeof a === 'number' && typeof b === 'number') {
    const difference = a - b;
    if (Number.isSafeInteger(difference)) return difference;
  }
  return toInt(BigInt(a) - BigInt(b));
}

export function multiplyInt(a: Integer, b: Integer): Integer {
  if (typeof a === 'number' && typeof b === 'number') {
    const product = a * b;
    if (Number.isSafeInteger(product)) return product + 0;
  }
  return toInt(BigInt(a) * BigInt(b));
}

export function divideInt(a: Integer, b: Integer): Integer {
  if (b === 0) fail('division by zero');
  if (typeof a === 'number' && typeof b === 'number') return Math.trunc(a / b) + 0;
  return toInt(BigInt(a) / BigInt(b));
}

export function moduloInt(a: Integer, b: Integer): Integer {
  if (b === 0) fail('modulus by zero');
  if (typeof a === 'number' && typeof b === 'number') return (a % b) + 0;
  if (BigInt(a) === minInt && b === -1) fail('integer overflow');
  return narrow(BigInt(a) % BigInt(b));
}

export function negateInt(a: Integer): Integer {
  return typeof a === 'number' ? 0 - a : toInt(-a);
}

export function addUint(a: Uint, b: Uint): Uint {
  if (typeof a.value === 'number' && typeof b.value === 'number') {
    const sum = a.value + b.value;
    if (Number.isSafeInteger(sum)) return new Uint(sum);
  }
  return toUint(BigInt(a.value) + BigInt(b.value));
}

export function subtractUint(a: Uint, b: Uint): Uint {
  if (typeof a.value === 'number' && typeof b.value === 'number' && a.value >= b.value)
    return new Uint(a.value - b.value);
  return toUint(BigInt(a.value) - BigInt(b.value));
}

export function multiplyUint(a: Uint, b: Uint): Uint {
  if (typeof a.value === 'number' && typeof b.value === 'number') {
    const product = a.value * b.value;
    if (Number.isSafeInteger(product)) return new Uint(product);
  }
  return toUint(BigInt(a.value) * BigInt(b.value));
}

export function divideUint(a: Uint, b: Uint): Uint {
  if (b.value === 0) fail('division by zero');
  return toUint(BigInt(a.value) / BigInt(b.value));
}

export function moduloUint(a: Uint, b: Uint): Uint {
  if (b.value === 0) fail('modulus by zero');
  return toUint(BigInt(a.value) % BigInt(b.value));
}

/** The maximum length of an integer in a string, in characters. Zeros can precede 20 digits; parsing takes quadratic time. */
export const maxIntegerLength = 400;

/** Parses a decimal integer; undefined if the text is not one. */
export function parseInteger(text: string, signed: boolean): bigint | undefined {
  if (text.length > maxIntegerLength || !(signed ? /^[+-]?\d+$/ : /^\d+$/).test(text)) return undefined;
  const value = BigInt(text.startsWith('+') ? text.slice(1) : text);
  const [min, max] = signed ? [minInt, maxInt] : [0n, maxUint];
  return value < min || value > max ? undefined : value;
}
