import { stringifyJson } from '../json.ts';

const htmlEscapes = [
  ['<', '\\u003c'],
  ['>', '\\u003e'],
  ['&', '\\u0026'],
  ['\u2028', '\\u2028'],
  ['\u2029', '\\u2029'],
] as const;

/** Returns JSON as encoding/json writes it, with an indent of so many spaces: HTML characters are escaped. */
export const escapedJson = (value: unknown, indent?: number): string =>
  htmlEscapes.reduce((text, [rune, escape]) => text.replaceAll(rune, escape), stringifyJson(value, indent));
