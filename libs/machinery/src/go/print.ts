import { stringifyJson } from '../json.ts';
import { printFloat } from './float.ts';
import { isObject } from '../json-object.ts';

/** Formats a decoded JSON value like Go's `%v`: `map[a:1 b:[x y]]`. */
export function goPrint(value: unknown): string {
  if (value === null || value === undefined) return '<nil>';
  if (Array.isArray(value)) return `[${value.map(goPrint).join(' ')}]`;
  if (isObject(value)) {
    const parts = Object.keys(value)
      .sort()
      .map((key) => `${key}:${goPrint(value[key])}`);
    return `map[${parts.join(' ')}]`;
  }
  if (typeof value === 'string') return value;
  return typeof value === 'number' && !Number.isSafeInteger(value) ? printFloat(value) : stringifyJson(value);
}
