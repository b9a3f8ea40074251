import { stringifyJsonInPasses } from '../json-text-passes.ts';
import { stringifyJson } from '../json.ts';
import type { Passes } from '../passes.ts';

const htmlEscapes = [
  ['<', '\\u003c'],
  ['>', '\\u003e'],
  ['&', '\\u0026'],
  ['\u2028', '\\u2028'],
  ['\u2029', '\\u2029'],
] as const;

/** Returns JSON as encoding/json writes it, with an indent of so many spaces: HTML characters are escaped. */
export const escapedJson = (value: unknown, indent?: number): string =>
  withEscapes(stringifyJson(value, indent));

/** The same without an indent, for a value that may be large, in passes. */
export function* escapedJsonInPasses(value: unknown): Passes<string> {
  const text = yield* stringifyJsonInPasses(value);
  yield;
  return withEscapes(text);
}

const withEscapes = (text: string): string =>
  htmlEscapes.reduce((escaped, [rune, escape]) => escaped.replaceAll(rune, escape), text);
