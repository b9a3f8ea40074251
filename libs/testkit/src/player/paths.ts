import { define } from './scalars.ts';

/** Returns whether a value is a JSON object. */
export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const member = (value: unknown, name: string): unknown =>
  isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;

/** Formats a scalar like Python, whose format recordings use for comparison and substitution. */
export function printScalar(value: unknown): string {
  if (value === null || value === undefined) return 'None';
  if (value === true) return 'True';
  if (value === false) return 'False';
  return typeof value === 'object' ? JSON.stringify(value) : String(value as string);
}

// Splits a path: `a.b[0].c[type=Ready].x`, with `\.` for a dot in a name.
function partsOf(path: string): string[] {
  const parts = path.replaceAll('\\.', '\0').match(/[^.[\]]+|\[[^\]]*\]/g) ?? [];
  return parts.map((part) => part.replaceAll('\0', '.'));
}

/** Returns the value at a path; `null` if there is none. */
export function get(value: unknown, path: string): unknown {
  let current = value;
  for (const part of partsOf(path)) {
    current = part.startsWith('[') ? select(current, part.slice(1, -1)) : member(current, part);
    if (current === undefined || current === null) return null;
  }
  return current;
}

function select(list: unknown, selector: string): unknown {
  if (!Array.isArray(list)) return undefined;
  const equals = selector.indexOf('=');
  if (equals < 0) return list.at(Number(selector));
  const [name, wanted] = [selector.slice(0, equals), selector.slice(equals + 1)];
  return list.find((item) => isObject(item) && printScalar(get(item, name)) === wanted);
}

/** Removes the value at a path; an item of a list is replaced by `<ignored>`. `[*]` applies to every item. */
export function drop(value: unknown, path: string): void {
  dropParts(value, partsOf(path));
}

function dropParts(value: unknown, parts: readonly string[]): void {
  const [part, ...rest] = parts;
  if (part === undefined || typeof value !== 'object' || value === null) return;
  if (part === '[*]' || part === '*') {
    if (rest.length > 0) for (const item of Object.values(value)) dropParts(item, rest);
  } else if (part.startsWith('[')) {
    if (Array.isArray(value)) dropItem(value, part.slice(1, -1), rest);
  } else if (isObject(value) && Object.hasOwn(value, part)) {
    if (rest.length > 0) dropParts(value[part], rest);
    else delete value[part];
  }
}

function dropItem(list: unknown[], selector: string, rest: readonly string[]): void {
  const equals = selector.indexOf('=');
  if (equals < 0) {
    const index = Number(selector);
    if (rest.length > 0) dropParts(list[index], rest);
    else if (index < list.length) list[index] = '<ignored>';
    return;
  }
  const [name, wanted] = [selector.slice(0, equals), selector.slice(equals + 1)];
  for (const item of list) if (printScalar(member(item, name)) === wanted) dropParts(item, rest);
}

/** Returns a copy of a JSON value. */
export function copy<T>(value: T): T {
  if (Array.isArray(value)) return value.map(copy) as T;
  if (!isObject(value) || JSON.isRawJSON(value)) return value;
  const result = {};
  for (const [name, item] of Object.entries(value)) define(result, name, copy(item));
  return result as T;
}
