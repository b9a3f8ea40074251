import {
  getOwn,
  isObject,
  type JsonObject,
  type JsonValue,
  namesInPasses,
  type Passes,
  stringifyJson,
} from '@annex/machinery';
import {
  keyElement,
  type PathElement,
  singleKeyElement,
  valueElement,
} from '../managed-fields/field-set-element.ts';
import type { MergeList, MergeType } from './typed-schema.ts';

/** An error in a value to merge; `path` has the form `.spec.list[name="a"]`. */
export interface TypedValidationError {
  path: string;
  message: string;
}

/** Reports a value that does not match its merge type. */
export class TypedError extends Error {
  readonly errors: readonly TypedValidationError[];

  constructor(errors: readonly TypedValidationError[]) {
    const texts = errors.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`));
    super(
      texts.length === 1 ? (texts[0] as string) : ['errors:', ...texts.map((text) => `  ${text}`)].join('\n'),
    );
    this.name = 'TypedError';
    this.errors = errors;
  }
}

/**
 * Returns the form of a value among those of its type. Null, and a value that matches none, take the first of map, scalar
 * and list.
 */
export function formOf(type: MergeType, value: JsonValue): 'map' | 'scalar' | 'list' {
  if (value !== null) {
    const form = Array.isArray(value) ? 'list' : typeof value === 'object' ? 'map' : 'scalar';
    if (type[form] !== undefined) return form;
  }
  return type.map !== undefined ? 'map' : type.scalar !== undefined ? 'scalar' : 'list';
}

/** Returns the list, undefined for other values. */
export const asList = (value: JsonValue | undefined): readonly JsonValue[] | undefined =>
  Array.isArray(value) ? value : undefined;

/** Returns the map, undefined for other values. */
export const asMap = (value: JsonValue | undefined): JsonObject | undefined =>
  isObject(value) ? value : undefined;

/** Returns the names of the left map, then those that only the right one has. */
export function unionOfNames(left: JsonObject, right: JsonObject): string[] {
  const names = Object.keys(left);
  for (const name of Object.keys(right)) if (!Object.hasOwn(left, name)) names.push(name);
  return names;
}

/** The same, in passes. */
export function* unionOfNamesInPasses(left: JsonObject, right: JsonObject): Passes<string[]> {
  const names = yield* namesInPasses(left);
  const more = yield* namesInPasses(right);
  for (const [i, name] of more.entries()) {
    if (i % searchedAtOnce === searchedAtOnce - 1) yield;
    if (!Object.hasOwn(left, name)) names.push(name);
  }
  return names;
}

/** How many names are searched in one pass. */
const searchedAtOnce = 5000;

/** Returns the path element of a valid item of an associative list. Throws TypedError for other items. */
export function itemElement(list: MergeList, item: JsonValue): PathElement {
  if (list.keys.length === 0) {
    if (typeof item === 'object') throw new TypedError([{ path: '', message: itemError(list, item) ?? '' }]);
    return valueElement(item);
  }
  const object = item as JsonObject;
  const first = keyValue(list, object, list.keys[0] as string);
  // Most lists have one key.
  if (list.keys.length === 1 && first !== undefined) return singleKeyElement(list.keys[0] as string, first);
  const keys: [string, JsonValue][] = [];
  for (const name of list.keys) {
    const value = keyValue(list, object, name);
    if (value !== undefined) keys.push([name, value]);
  }
  if (keys.length === 0) throw new TypedError([{ path: '', message: itemError(list, item) ?? '' }]);
  return keyElement(keys.length < 2 ? keys : keys.sort(([a], [b]) => (a < b ? -1 : 1)));
}

const keyValue = (list: MergeList, item: JsonObject, name: string): JsonValue | undefined =>
  Object.hasOwn(item, name) ? (item[name] as JsonValue) : defaultOf(list, name);

/** Returns the error if an item of an associative list has no path element, or undefined. */
export function itemError(list: MergeList, item: JsonValue): string | undefined {
  if (list.keys.length > 0) return keyedItemError(list, item);
  if (item === null) return "associative list without keys has an element that's an explicit null";
  if (Array.isArray(item)) return 'not supported: associative list with lists as elements';
  return typeof item === 'object'
    ? "associative list without keys has an element that's a map type"
    : undefined;
}

function keyedItemError(list: MergeList, item: JsonValue): string | undefined {
  if (item === null) return 'associative list with keys may not have a null element';
  if (!isObject(item)) return 'associative list with keys may not have non-map elements';
  for (const name of list.keys) if (Object.hasOwn(item, name)) return undefined;
  if (list.element.map === undefined) {
    return `couldn't find default value for ${list.keys[0]}: associative list may not have non-map types`;
  }
  if (list.keys.some((name) => defaultOf(list, name) !== undefined)) return undefined;
  const quoted = list.keys.map((name) => JSON.stringify(name)).join(' ');
  return `associative list with keys has an element that omits all key fields [${quoted}] (and doesn't have default values for any key fields)`;
}

const defaultOf = (list: MergeList, name: string): JsonValue | undefined =>
  list.element.map?.fields.get(name)?.default ?? undefined;

/** Formats a value like Go's %v: `map[a:b]`, `[a b]`. */
export function goText(value: JsonValue): string {
  if (value === null) return '<nil>';
  if (Array.isArray(value)) return `[${value.map(goText).join(' ')}]`;
  if (typeof value !== 'object') return String(value);
  const members = Object.keys(value)
    .sort()
    .map((key) => `${key}:${goText(getOwn(value, key) as JsonValue)}`);
  return `map[${members.join(' ')}]`;
}

/** Returns the Go type of a value, as %T prints it. */
export function goTypeName(value: JsonValue): string {
  if (Array.isArray(value)) return '[]interface {}';
  if (value === null) return '<nil>';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int64' : 'float64';
  return (
    getOwn({ object: 'map[string]interface {}', boolean: 'bool', bigint: 'int64' }, typeof value as string) ??
    typeof value
  );
}

/** Formats a value like Go's %#v, as far as messages need it. */
export function goSyntax(value: JsonValue): string {
  if (Array.isArray(value)) return `[]interface {}{${value.map(goSyntax).join(', ')}}`;
  if (value === null) return 'interface {}(nil)';
  if (typeof value !== 'object') return stringifyJson(value);
  const members = Object.keys(value)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${goSyntax(getOwn(value, key) as JsonValue)}`);
  return `map[string]interface {}{${members.join(', ')}}`;
}
