import type { JsonValue } from '@annex/machinery';

/** The Go kinds of JSON values. kube-apiserver decodes a number without fraction and exponent within int64 as an integer. */
export type GoKind = 'null' | 'object' | 'array' | 'string' | 'boolean' | 'int64' | 'float64';

/**
 * Returns the Go kind of a decoded JSON value. A float without a fraction counts as an integer, which every check of
 * kube-apiserver accepts.
 */
export function goKind(value: JsonValue): GoKind {
  switch (typeof value) {
    case 'string':
      return 'string';
    case 'boolean':
      return 'boolean';
    case 'number':
      return Number.isSafeInteger(value) ? 'int64' : 'float64';
    case 'bigint':
      return 'int64';
    default:
      if (value === null) return 'null';
      return Array.isArray(value) ? 'array' : 'object';
  }
}

const minInt64 = -(2n ** 63n);

/** Returns Go's `int64(f)` on amd64: truncated, and the smallest integer on overflow. */
export function toInt64(value: number): number | bigint {
  const whole = Math.trunc(value);
  if (Number.isSafeInteger(whole)) return whole;
  return whole >= -(2 ** 63) && whole < 2 ** 63 ? BigInt(whole) : minInt64;
}

const maxJsonInteger = 2 ** 53 - 1;

/** Returns true if go-openapi treats a float as an integer. */
export function isNearInteger(value: number): boolean {
  if (!Number.isFinite(value) || Math.abs(value) > maxJsonInteger) return false;
  if (Number.isInteger(value)) return true;
  const whole = Math.trunc(value);
  if (whole === 0) return false;
  const difference = Math.abs(value - whole);
  return difference / (Math.abs(value) + Math.abs(whole)) < 1e-9;
}
