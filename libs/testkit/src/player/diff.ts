import { isObject } from './paths.ts';
import { printJson, unwrapFloat } from './scalars.ts';

const isNumber = (value: unknown): value is number | bigint | boolean =>
  typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean';

// As in Python, where true equals 1.
const numeric = (value: number | bigint | boolean): number | bigint =>
  typeof value === 'boolean' ? Number(value) : value;

/** Returns the differences between two JSON values, one line each. Numbers are compared by value. */
export function diff(expected: unknown, actual: unknown, path = ''): string[] {
  const [want, got] = [unwrapFloat(expected), unwrapFloat(actual)];
  if (Array.isArray(want) && Array.isArray(got)) return diffLists(want, got, path);
  if (isObject(want) && isObject(got)) return diffObjects(want, got, path);
  if (isNumber(want) && isNumber(got)) {
    return numeric(want) == numeric(got) ? [] : [difference(want, got, path)];
  }
  return want === got || (want ?? null) === (got ?? null) ? [] : [difference(want, got, path)];
}

const difference = (want: unknown, got: unknown, path: string): string =>
  `${path || '.'}: want ${shorten(want)}, got ${shorten(got)}`;

function diffObjects(want: Record<string, unknown>, got: Record<string, unknown>, path: string): string[] {
  const missing = Object.keys(want).flatMap((key) =>
    Object.hasOwn(got, key)
      ? diff(want[key], got[key], `${path}.${key}`)
      : [`${path}.${key}: want ${shorten(want[key])}, missing`],
  );
  const more = Object.keys(got)
    .filter((key) => !Object.hasOwn(want, key))
    .map((key) => `${path}.${key}: not wanted, got ${shorten(got[key])}`);
  return [...missing, ...more];
}

function diffLists(want: unknown[], got: unknown[], path: string): string[] {
  const length =
    want.length === got.length
      ? []
      : [`${path}: want ${want.length} items, got ${got.length}: want ${shorten(want)} got ${shorten(got)}`];
  const items = want.slice(0, got.length).flatMap((item, i) => diff(item, got[i], `${path}[${i}]`));
  return [...length, ...items];
}

/** Formats JSON, truncated to a few lines. */
export function shorten(value: unknown): string {
  const text = printJson(value ?? null);
  return text.length < 300 ? text : `${text.slice(0, 297)}...`;
}
