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
import type { SchemaNode } from './node.ts';
import { sortedJson } from './sorted-json.ts';

/** Adds the errors of a value to `errors`. */
export type ListCheck = (value: JsonValue, path: string, errors: FieldError[]) => void;

/** Compiles the uniqueness of `set` and `map` lists; `undefined` where the schema has none. */
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
    if (Array.isArray(value)) {
      ofList?.(value, path, errors);
      if (ofItems) value.forEach((item, i) => ofItems(item, `${path}[${i}]`, errors));
    } else if (isObject(value)) {
      for (const name in value) {
        if (ofAdditional) ofAdditional(value[name] as JsonValue, `${path}[${name}]`, errors);
        properties.get(name)?.(value[name] as JsonValue, path === '' ? name : `${path}.${name}`, errors);
      }
    }
  };
}

function listCheck(
  node: SchemaNode,
): ((items: JsonValue[], path: string, errors: FieldError[]) => void) | undefined {
  if (node.listType === 'set') return checkSet;
  if (node.listType !== 'map') return undefined;
  const keys = node.listMapKeys ?? [];
  return (items, path, errors) => checkMap(items, keys, path, errors);
}

function checkSet(items: JsonValue[], path: string, errors: FieldError[]): void {
  for (const i of repeated(items))
    errors.push(fieldErrors.duplicate(`${path}[${i}]`, sortedJson(items[i] as JsonValue)));
}

function checkMap(items: JsonValue[], keys: readonly string[], path: string, errors: FieldError[]): void {
  const stray = items.findIndex((item) => item !== null && !isObject(item));
  if (stray >= 0) {
    const detail = 'must be an object for an array of list-type map';
    errors.push(fieldErrors.invalid(`${path}[${stray}]`, sortedJson(items[stray] as JsonValue), detail));
    return;
  }
  if (items.length < 2) return;
  const keyed = items.map((item) => keyOf(item, keys));
  for (const i of repeated(keyed))
    errors.push(fieldErrors.duplicate(`${path}[${i}]`, sortedJson(keyed[i] as JsonValue)));
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

/** The index of the second appearance of each value that appears more than once. */
function repeated(items: readonly JsonValue[]): number[] {
  if (items.length < 2) return [];
  const times = new Map<unknown, number>();
  const indices: number[] = [];
  items.forEach((item, i) => {
    const identity = identityOf(item);
    const seen = times.get(identity) ?? 0;
    times.set(identity, seen + 1);
    if (seen === 1) indices.push(i);
  });
  return indices;
}

// Scalars are their own identity; compounds are compared as JSON with sorted keys, kept apart from strings by a prefix.
function identityOf(value: JsonValue): unknown {
  if (typeof value === 'string') return `"${value}`;
  return typeof value === 'object' && value !== null ? stringifyJson(sortedJson(value)) : value;
}
