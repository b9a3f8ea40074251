import {
  type FieldError,
  type JsonObject,
  type JsonValue,
  fieldErrors,
  getOwn,
  isObject,
  maxFieldErrors,
  namesInPasses,
  type Passes,
  setOwn,
  stringifyJsonInPasses,
} from '@annex/machinery';
import type { SchemaNode } from '../node.ts';
import { sortedJsonInPasses } from '../sorted-json.ts';
import { isPassOver, spend } from './check-work.ts';

/** The compiled uniqueness checks of the `set` and `map` lists in a value. */
export interface ListTypes {
  /** Returns true if the lists are unique. False means unknown: `report` decides. */
  accepts(value: JsonValue): boolean;
  /** Adds an error for each duplicate, in passes. */
  report(value: JsonValue, path: string, errors: FieldError[]): Passes<void>;
}

/** Compiles the checks; `undefined` if the schema has no such lists. */
export function compileListTypes(node: SchemaNode): ListTypes | undefined {
  const properties = new Map<string, ListTypes>();
  for (const [name, child] of node.properties ?? []) {
    const types = compileListTypes(child);
    if (types) properties.set(name, types);
  }
  const additional = node.additionalProperties === true ? undefined : node.additionalProperties;
  const ofAdditional = additional && compileListTypes(additional);
  const ofItems = node.items && compileListTypes(node.items);
  const ofList = listTypeOf(node);
  if (properties.size === 0 && !ofAdditional && !ofItems && !ofList) return undefined;
  return {
    accepts(value) {
      if (!spend(1)) return false;
      if (Array.isArray(value)) {
        if (ofList?.accepts(value) === false) return false;
        return ofItems === undefined || value.every((item) => ofItems.accepts(item));
      }
      if (!isObject(value)) return true;
      for (const name in value) {
        const child = value[name] as JsonValue;
        if (ofAdditional?.accepts(child) === false || properties.get(name)?.accepts(child) === false)
          return false;
      }
      return true;
    },
    *report(value, path, errors) {
      if (isPassOver(1)) yield;
      if (Array.isArray(value)) {
        yield* ofList?.report(value, path, errors) ?? [];
        if (ofItems === undefined) return;
        for (const [i, item] of value.entries()) yield* ofItems.report(item, `${path}[${i}]`, errors);
      } else if (isObject(value)) {
        for (const name of yield* namesInPasses(value)) {
          // permitted: no-inherited-keys, it is one of its own names
          const child = value[name] as JsonValue;
          yield* ofAdditional?.report(child, `${path}[${name}]`, errors) ?? [];
          yield* properties.get(name)?.report(child, join(path, name), errors) ?? [];
        }
      }
    },
  };
}

const join = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`);

interface ListType {
  accepts(items: readonly JsonValue[]): boolean;
  report(items: readonly JsonValue[], path: string, errors: FieldError[]): Passes<void>;
}

function listTypeOf(node: SchemaNode): ListType | undefined {
  if (node.listType === 'set') return set;
  if (node.listType !== 'map') return undefined;
  const keys = node.listMapKeys ?? [];
  return {
    accepts: (items) => haveDistinctKeys(items, keys),
    report: (items, path, errors) => reportMap(items, keys, path, errors),
  };
}

const set: ListType = {
  accepts(items) {
    if (!spend(items.length / comparedInCheck)) return false;
    // Other items are compared by their contents.
    return items.every((item) => !isContainer(item)) && new Set(items).size === items.length;
  },
  *report(items, path, errors) {
    for (const i of yield* repeated(items)) {
      if (errors.length > maxFieldErrors) return;
      errors.push(fieldErrors.duplicate(`${path}[${i}]`, yield* sortedJsonInPasses(items[i] as JsonValue)));
    }
  },
};

/** How many scalars are compared in the time of one check. */
const comparedInCheck = 4;

const isContainer = (value: JsonValue): boolean => typeof value === 'object' && value !== null;

function* reportMap(
  items: readonly JsonValue[],
  keys: readonly string[],
  path: string,
  errors: FieldError[],
): Passes<void> {
  const stray = items.findIndex((item) => item !== null && !isObject(item));
  if (stray >= 0) {
    const detail = 'must be an object for an array of list-type map';
    const copy = yield* sortedJsonInPasses(items[stray] as JsonValue);
    errors.push(fieldErrors.invalid(`${path}[${stray}]`, copy, detail));
    return;
  }
  const keyed: JsonValue[] = [];
  for (const item of items) {
    if (isPassOver(1)) yield;
    keyed.push(keyOf(item, keys));
  }
  yield* set.report(keyed, path, errors);
}

/** Returns true if the only key is a distinct string in each item: the fast path. */
function haveDistinctKeys(items: readonly JsonValue[], [name = '', ...others]: readonly string[]): boolean {
  if (others.length > 0 || !spend(items.length / comparedInCheck)) return false;
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
function* repeated(items: readonly JsonValue[]): Passes<number[]> {
  // Strings are apart from the texts of objects: a prefix that distinguishes them would copy each of them.
  const [texts, others] = [new Occurrences(), new Occurrences()];
  const indices: number[] = [];
  for (let i = 0; i < items.length; i++) {
    if (isPassOver(1)) yield;
    const item = items[i] as JsonValue;
    const isSecond =
      typeof item === 'string' ? texts.isSecond(item) : others.isSecond(yield* identityOf(item));
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
function* identityOf(value: JsonValue): Passes<unknown> {
  return isContainer(value) ? yield* stringifyJsonInPasses(yield* sortedJsonInPasses(value)) : value;
}
