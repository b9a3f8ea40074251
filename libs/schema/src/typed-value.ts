import { getOwn, isObject, type JsonObject, type JsonValue, stringifyJson } from '@annex/machinery';
import { keyElement, type PathElement, valueElement } from './field-set-element.ts';
import type { MergeList, MergeType } from './typed-schema.ts';

/** One mistake in a value that is to be merged; `path` is printed as `.spec.list[name="a"]`. */
export interface TypedMistake {
  path: string;
  message: string;
}

/** A value that does not fit its merge type. */
export class TypedError extends Error {
  readonly mistakes: readonly TypedMistake[];

  constructor(mistakes: readonly TypedMistake[]) {
    const texts = mistakes.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`));
    super(
      texts.length === 1 ? (texts[0] as string) : ['errors:', ...texts.map((text) => `  ${text}`)].join('\n'),
    );
    this.name = 'TypedError';
    this.mistakes = mistakes;
  }
}

/** Why a list item has no path element. */
export class ElementError extends Error {}

/**
 * The form that a value takes among those of its type. Null takes the first of map, scalar and list that the type has, and so does
 * a value that fits none.
 */
export function formOf(type: MergeType, value: JsonValue): 'map' | 'scalar' | 'list' {
  if (value !== null) {
    const form = Array.isArray(value) ? 'list' : typeof value === 'object' ? 'map' : 'scalar';
    if (type[form] !== undefined) return form;
  }
  return type.map !== undefined ? 'map' : type.scalar !== undefined ? 'scalar' : 'list';
}

/** The list, or nothing for what is none. */
export const asList = (value: JsonValue | undefined): readonly JsonValue[] | undefined =>
  Array.isArray(value) ? value : undefined;

/** The map, or nothing for what is none. */
export const asMap = (value: JsonValue | undefined): JsonObject | undefined =>
  isObject(value) ? value : undefined;

/** The path element of an item of an associative list. Throws ElementError. */
export function itemElement(list: MergeList, item: JsonValue): PathElement {
  return list.keys.length > 0 ? keyedElement(list, item) : setElement(item);
}

function keyedElement(list: MergeList, item: JsonValue): PathElement {
  if (item === null) throw new ElementError('associative list with keys may not have a null element');
  if (!isObject(item)) throw new ElementError('associative list with keys may not have non-map elements');
  const keys: [string, JsonValue][] = [];
  for (const name of list.keys) {
    const value = Object.hasOwn(item, name) ? (item[name] as JsonValue) : defaultOf(list, name);
    if (value !== undefined) keys.push([name, value]);
  }
  if (keys.length === 0) throw new ElementError(missingKeys(list.keys));
  return keyElement(keys.length < 2 ? keys : keys.sort(([a], [b]) => (a < b ? -1 : 1)));
}

function missingKeys(names: readonly string[]): string {
  const quoted = names.map((name) => JSON.stringify(name)).join(' ');
  return `associative list with keys has an element that omits all key fields [${quoted}] (and doesn't have default values for any key fields)`;
}

function defaultOf(list: MergeList, name: string): JsonValue | undefined {
  if (list.element.map === undefined) {
    throw new ElementError(
      `couldn't find default value for ${name}: associative list may not have non-map types`,
    );
  }
  return list.element.map.fields.get(name)?.default ?? undefined;
}

function setElement(item: JsonValue): PathElement {
  if (item === null)
    throw new ElementError("associative list without keys has an element that's an explicit null");
  if (Array.isArray(item)) throw new ElementError('not supported: associative list with lists as elements');
  if (typeof item === 'object') {
    throw new ElementError("associative list without keys has an element that's a map type");
  }
  return valueElement(item);
}

/** A value as Go prints it with %v: `map[a:b]`, `[a b]`. */
export function goText(value: JsonValue): string {
  if (value === null) return '<nil>';
  if (Array.isArray(value)) return `[${value.map(goText).join(' ')}]`;
  if (typeof value !== 'object') return String(value);
  const members = Object.keys(value)
    .sort()
    .map((key) => `${key}:${goText(getOwn(value, key) as JsonValue)}`);
  return `map[${members.join(' ')}]`;
}

/** The name of a value's Go type, as %T prints it. */
export function goTypeName(value: JsonValue): string {
  if (Array.isArray(value)) return '[]interface {}';
  if (value === null) return '<nil>';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int64' : 'float64';
  return (
    { object: 'map[string]interface {}', boolean: 'bool', bigint: 'int64' }[typeof value as string] ??
    typeof value
  );
}

/** A value as Go prints it with %#v, as far as messages need it. */
export function goSyntax(value: JsonValue): string {
  if (Array.isArray(value)) return `[]interface {}{${value.map(goSyntax).join(', ')}}`;
  if (value === null) return 'interface {}(nil)';
  if (typeof value !== 'object') return stringifyJson(value);
  const members = Object.keys(value)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${goSyntax(getOwn(value, key) as JsonValue)}`);
  return `map[string]interface {}{${members.join(', ')}}`;
}
