import {
  type FieldError,
  type JsonObject,
  type JsonValue,
  fieldErrors,
  getOwn,
  isObject,
  setOwn,
  stringifyJson,
} from '@annex/machinery';
import type { SchemaNode } from '../node.ts';
import { sortedJson } from '../sorted-json.ts';

/** Returns true if the lists in a value are unique; with `errors`, adds an error for each duplicate. */
export type ListCheck = (value: JsonValue, path: string, errors?: FieldError[]) => boolean;

/** Compiles the uniqueness check of `set` and `map` lists; `undefined` if the schema has none. */
export function compileListTypes(node: SchemaNode): ListCheck | undefined {
  const properties = new Map<string, ListCheck>();
  for (const [name, child] of node.properties ?? []) {
    const check = compileListTypes(child);
    if (check) properties.set(name, check);
  }
  const additional = node.additionalProperties === true ? undefined : node.additionalProperties;
  const ofAdditional = additional && compileListTypes(additional);
  const ofItems = node.items && compileListTypes(node.items);
  const ofList = listCheck(node);
  if (properties.size === 0 && !ofAdditional && !ofItems && !ofList) return undefined;
  return (value, path, errors) => {
    let ok = true;
    if (Array.isArray(value)) {
      if (ofList !== undefined) ok = ofList(value, path, errors);
      if (ofItems === undefined) return ok;
      for (let i = 0; i < value.length && (ok || errors !== undefined); i++) {
        ok = ofItems(value[i] as JsonValue, errors ? `${path}[${i}]` : '', errors) && ok;
      }
    } else if (isObject(value)) {
      for (const name in value) {
        if (!ok && errors === undefined) return false;
        const child = value[name] as JsonValue;
        if (ofAdditional) ok = ofAdditional(child, errors ? `${path}[${name}]` : '', errors) && ok;
        const check = properties.get(name);
        if (check) ok = check(child, errors ? join(path, name) : '', errors) && ok;
      }
    }
    return ok;
  };
}

const join = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`);

type OfList = (items: JsonValue[], path: string, errors?: FieldError[]) => boolean;

function listCheck(node: SchemaNode): OfList | undefined {
  if (node.listType === 'set') return checkSet;
  if (node.listType !== 'map') return undefined;
  const keys = node.listMapKeys ?? [];
  return (items, path, errors) => checkMap(items, keys, path, errors);
}

const checkSet: OfList = (items, path, errors) => {
  if (items.length < 2) return true;
  const duplicates = repeated(items);
  for (const i of duplicates) {
    errors?.push(fieldErrors.duplicate(`${path}[${i}]`, sortedJson(items[i] as JsonValue)));
  }
  return duplicates.length === 0;
};

function checkMap(items: JsonValue[], keys: readonly string[], path: string, errors?: FieldError[]): boolean {
  const stray = items.findIndex((item) => item !== null && !isObject(item));
  if (stray >= 0) {
    const detail = 'must be an object for an array of list-type map';
    errors?.push(fieldErrors.invalid(`${path}[${stray}]`, sortedJson(items[stray] as JsonValue), detail));
    return false;
  }
  if (items.length < 2) return true;
  if (errors === undefined && haveDistinctKeys(items, keys)) return true;
  const keyed = items.map((item) => keyOf(item, keys));
  const duplicates = repeated(keyed);
  for (const i of duplicates) {
    errors?.push(fieldErrors.duplicate(`${path}[${i}]`, sortedJson(keyed[i] as JsonValue)));
  }
  return duplicates.length === 0;
}

/** Returns true if the only key is a distinct string in each item: the fast path. */
function haveDistinctKeys(items: readonly JsonValue[], [name = '', ...others]: readonly string[]): boolean {
  if (others.length > 0) return false;
  const texts = new Set<unknown>();
  for (const item of items) {
    const text = isObject(item) ? getOwn(item, name) : undefined;
    if (typeof text !== 'string') return false;
    texts.add(text);
  }
  return texts.size === items.length;
}

function keyOf(item: JsonValue, keys: readonly string[]): JsonObject {
  const key: JsonObject = {};
  if (!isObject(item)) return key;
  for (const name of keys) {
    const value = getOwn(item, name);
    if (value !== undefined) setOwn(key, name, value);
  }
  return key;
}

/** Returns the index of the second occurrence of each duplicated value. */
function repeated(items: readonly JsonValue[]): number[] {
  // Strings are apart from the texts of objects: a prefix that distinguishes them would copy each of them.
  const [texts, others] = [new Occurrences(), new Occurrences()];
  const indices: number[] = [];
  for (let i = 0; i < items.length; i++) {
    const item = items[i] as JsonValue;
    const isSecond = typeof item === 'string' ? texts.isSecond(item) : others.isSecond(identityOf(item));
    if (isSecond) indices.push(i);
  }
  return indices;
}

class Occurrences {
  readonly #seen = new Set<unknown>();
  readonly #repeated = new Set<unknown>();

  /** Counts a value; returns whether it is the second time. */
  isSecond(value: unknown): boolean {
    const { size } = this.#seen;
    if (this.#seen.add(value).size > size || this.#repeated.has(value)) return false;
    this.#repeated.add(value);
    return true;
  }
}

// A scalar is compared directly; an object or list as JSON with sorted keys.
const identityOf = (value: JsonValue): unknown =>
  typeof value === 'object' && value !== null ? stringifyJson(sortedJson(value)) : value;
