import type { JsonValue } from '@annex/machinery';

/** Go's kinds of JSON values: kube decodes a number without fraction and exponent within int64 as an integer. */
export type GoKind = 'null' | 'object' | 'array' | 'string' | 'boolean' | 'int64' | 'float64';

/** The Go kind of a decoded JSON value. A float without fraction counts as an integer, which every check of kube allows. */
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

/** Go's `int64(f)` on amd64: cut to an integer, and the smallest integer where it does not fit. */
export function toInt64(value: number): number | bigint {
  const whole = Math.trunc(value);
  if (Number.isSafeInteger(whole)) return whole;
  return whole >= -(2 ** 63) && whole < 2 ** 63 ? BigInt(whole) : minInt64;
}

const maxJsonInteger = 2 ** 53 - 1;

/** go-openapi's test whether a float is near enough to an integer. */
export function isNearInteger(value: number): boolean {
  if (!Number.isFinite(value) || Math.abs(value) > maxJsonInteger) return false;
  if (Number.isInteger(value)) return true;
  const whole = Math.trunc(value);
  if (whole === 0) return false;
  const difference = Math.abs(value - whole);
  return difference / (Math.abs(value) + Math.abs(whole)) < 1e-9;
}
