import { jsonParse } from './json-keys.ts';
import { type JsonValue, type JsonObject, setOwn, getOwn, isObject } from './json-object.ts';
import { goJsonSyntaxError } from './json-syntax.ts';

declare global {
  interface JSON {
    /** JSON.parse source text access, https://tc39.es/proposal-json-parse-with-source/; not yet in TypeScript's lib. */
    rawJSON(text: string): unknown;
  }
}

// Integers beyond 2^53, numbers beyond float64, and escapes of lone surrogates.
const unusual = /\d{16}|\d[eE]\+?\d{3}|\\u[dD][89a-fA-F]/;

/** Returns whether a text may have values that `JSON.parse` reads in another way: all of its values are visited then. */
export const isUnusual = (text: string): boolean => unusual.test(text);

/**
 * Parses JSON text and keeps integers exact to int64, as kube-apiserver does. An integer outside of int64
 * becomes a float64, a duplicate key keeps its last value, a lone surrogate becomes U+FFFD. Throws
 * `SyntaxError` with the message of Go's decoder, also for a number beyond float64.
 */
export const parseJson = (text: string): JsonValue => parseCounted(text);

/** The same for a text whose keys with quotes `countKeys` counts; default: those of managed fields. */
export function parseCounted(text: string, countKeys?: (value: unknown) => number): JsonValue {
  // Without any of these, JSON.parse without a reviver suffices, which is several times faster.
  try {
    if (!isUnusual(text)) return jsonParse(text, undefined, countKeys) as JsonValue;
    return jsonParse(text, exactly as (key: string, value: unknown) => unknown, countKeys) as JsonValue;
  } catch (error) {
    throw new SyntaxError(goJsonSyntaxError(text) ?? (error as Error).message);
  }
}

function exactly(key: string, value: JsonValue, context?: { source?: string }): JsonValue {
  if (typeof value === 'string') return value.toWellFormed();
  return isObject(value) ? withWellFormedKeys(value) : exactInteger(key, value, context);
}

function withWellFormedKeys(value: JsonObject): JsonObject {
  const bad = Object.keys(value).filter((key) => !key.isWellFormed());
  for (const key of bad) {
    setOwn(value, key.toWellFormed(), getOwn(value, key));
    delete value[key];
  }
  return value;
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
    // JSON.stringify throws on bigint only; the replacer is slower, so it is only used afterwards.
    if (!(error instanceof TypeError)) throw error;
    return JSON.stringify(
      value,
      (_key, v: unknown) => (typeof v === 'bigint' ? JSON.rawJSON(v.toString()) : v),
      indent,
    );
  }
}

/** Returns a deep copy of a JSON value. */
export function deepCopy<T>(value: T): T {
  if (Array.isArray(value)) return value.map(deepCopy) as T;
  if (typeof value !== 'object' || value === null) return value;
  const copy = {};
  for (const key of Object.keys(value)) setOwn(copy, key, deepCopy((value as Record<string, unknown>)[key]));
  return copy as T;
}

/**
 * Compares JSON values deeply; the order of object keys does not matter, `1` equals `1n`, absent and
 * `undefined` are equal.
 */
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
