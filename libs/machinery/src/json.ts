/** A JSON value as Annex holds it in memory. Integers beyond 2^53 are `bigint`, every other number is `number`. */
export type JsonValue = null | boolean | number | bigint | string | JsonValue[] | JsonObject;

/** A JSON object. `__proto__` and friends are ordinary keys: write with {@link setOwn}, test with `Object.hasOwn`. */
export interface JsonObject {
  [key: string]: JsonValue;
}

declare global {
  interface JSON {
    /** JSON.parse source text access, https://tc39.es/proposal-json-parse-with-source/; not yet in TypeScript's lib. */
    rawJSON(text: string): unknown;
  }
}

const unusualNumber = /\d{16}|\d[eE]\+?\d{3}/;

/**
 * Parses JSON text and keeps integers exact to int64, as kube-apiserver does.
 * An integer outside of int64 becomes a float64, a duplicate key keeps its last value.
 * Throws `SyntaxError`, also for a number beyond float64.
 */
export function parseJson(text: string): JsonValue {
  // Without a run of sixteen digits no integer can be unsafe, without a large exponent none too large: the plain parser is
  // several times faster.
  try {
    if (!unusualNumber.test(text)) return JSON.parse(text) as JsonValue;
    return JSON.parse(text, exactInteger as (key: string, value: unknown) => unknown) as JsonValue;
  } catch (error) {
    throw new SyntaxError(goSyntaxError((error as Error).message));
  }
}

/** The complaint of Go's JSON decoder, whose words clients know, for that of this engine. */
function goSyntaxError(message: string): string {
  if (/end of JSON input|Unterminated/.test(message)) return 'unexpected end of JSON input';
  const token = /^Unexpected token '(.)'|^Expected .* at position|^Bad control character/u.exec(message)?.[1];
  return token === undefined ? message : `invalid character '${token}' looking for beginning of value`;
}

function exactInteger(_key: string, value: JsonValue, context?: { source?: string }): JsonValue {
  if (typeof value !== 'number' || Number.isSafeInteger(value)) return value;
  const source = context?.source;
  if (!Number.isFinite(value)) {
    throw new RangeError(`json: cannot unmarshal number ${source} into Go value of type float64`);
  }
  if (source === undefined || !/^-?\d+$/.test(source)) return value;
  const exact = BigInt(source);
  return BigInt.asIntN(64, exact) === exact ? exact : value;
}

/** Encodes a value as JSON text; `bigint` becomes an integer literal, `undefined` members are left out. */
export function stringifyJson(value: unknown, indent?: number): string {
  try {
    return JSON.stringify(value, undefined, indent);
  } catch (error) {
    // JSON.stringify throws on bigint only; the replacer is slower, so it is the second try.
    if (!(error instanceof TypeError)) throw error;
    return JSON.stringify(
      value,
      (_key, v: unknown) => (typeof v === 'bigint' ? JSON.rawJSON(v.toString()) : v),
      indent,
    );
  }
}

/** Sets an own property whatever its name, `__proto__` included. */
export function setOwn(target: object, key: string, value: unknown): void {
  if (key === '__proto__') {
    Object.defineProperty(target, key, { value, writable: true, enumerable: true, configurable: true });
  } else {
    (target as Record<string, unknown>)[key] = value;
  }
}

/** The own property of that name, or `undefined`; never something inherited. */
export function getOwn(target: object, key: string): unknown {
  return Object.hasOwn(target, key) ? (target as Record<string, unknown>)[key] : undefined;
}

/** True for JSON objects: neither null nor an array. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A deep copy of a JSON value. */
export function deepCopy<T>(value: T): T {
  if (Array.isArray(value)) return value.map(deepCopy) as T;
  if (typeof value !== 'object' || value === null) return value;
  const copy = {};
  for (const key of Object.keys(value)) setOwn(copy, key, deepCopy((value as Record<string, unknown>)[key]));
  return copy as T;
}

/** Deep equality of JSON values; the order of object keys does not matter, `1` equals `1n`, absent and `undefined` are the same. */
export function deepEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a === 'bigint' || typeof b === 'bigint') {
    return (
      (typeof a === 'number' || typeof a === 'bigint') &&
      (typeof b === 'number' || typeof b === 'bigint') &&
      a == b
    );
  }
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  if (Array.isArray(a)) {
    const other = b as unknown[];
    return a.length === other.length && a.every((item, i) => deepEqual(item, other[i]));
  }
  return sameMembers(a as Record<string, unknown>, b as Record<string, unknown>);
}

function sameMembers(a: Record<string, unknown>, b: Record<string, unknown>): boolean {
  let present = 0;
  for (const key of Object.keys(a)) {
    if (a[key] === undefined) continue;
    if (!Object.hasOwn(b, key) || !deepEqual(a[key], b[key])) return false;
    present++;
  }
  for (const key of Object.keys(b)) if (b[key] !== undefined) present--;
  return present === 0;
}
