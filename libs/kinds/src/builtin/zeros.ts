import {
  type DividedVisit,
  emptyFieldOf,
  getOwn,
  isEmptyMap,
  isManyParts,
  isObject,
  type JsonObject,
  type JsonValue,
  noteEmptyField,
  setOwn,
} from '@annex/machinery';
import { jsonFields, type MessageField } from '../protobuf/messages.ts';
import { isPlainMessage } from '../protobuf/values.ts';
import type { RecordedComponents } from './data.ts';

/** The encoding rules of the fields of a message. */
interface Rules {
  /** Lists that are encoded as null if they are empty. */
  nulls: readonly string[];
  fields: ReadonlyMap<string, Rule>;
}

interface Rule {
  /** Returns whether a value is the omitted zero; absent if none is omitted. */
  isZero?: ((value: JsonValue) => boolean) | undefined;
  /** The message of the values, possibly in a list or a map. */
  inner?: string | undefined;
  form: 'one' | 'list' | 'map';
}

const compiled = new Map<string, Rules>();

function rulesOf(message: string): Rules {
  let rules = compiled.get(message);
  if (rules === undefined) {
    const fields = [...jsonFields(message).values()];
    rules = {
      nulls: keepsEmptyLists(message)
        ? []
        : fields.filter((field) => field.nullWhenEmpty).map(({ json }) => json),
      fields: new Map(fields.map((field) => [field.json, ruleOf(field)])),
    };
    compiled.set(message, rules);
  }
  return rules;
}

// Empty managedFields have a meaning.
const ruleOf = ({ json, type, omitZero, repeated, map }: MessageField): Rule => ({
  isZero:
    !omitZero || json === 'managedFields' ? undefined : repeated ? isEmptyList : map ? isEmptyMap : isZero,
  inner: type.includes('.') && isPlainMessage(type) ? type : undefined,
  form: repeated ? 'list' : map ? 'map' : 'one',
});

const isEmptyList = (value: JsonValue): boolean => Array.isArray(value) && value.length === 0;
const isZero = (value: JsonValue): boolean => value === '' || value === 0 || value === false;

// CustomResourceDefinitions are stored as JSON, which preserves empty lists.
const keepsEmptyLists = (message: string) => message.startsWith('k8s.io.apiextensions_apiserver.');

/**
 * Brings values into the form of a round trip through protobuf, in which kube-apiserver stores them. Removes
 * empty lists, maps and strings, zeros and false if the Go field is not a pointer and omits its zero value in
 * JSON. Empty lists of other fields become null. Notes the empty lists and maps; returns whether a list became null.
 * With `visits`, the items of long lists wait for its passes, and the result is known after them.
 */
export function dropZeros(object: JsonObject, message: string, visits?: DividedVisit): NulledLists {
  const lists = { areNull: false };
  drop(object, message, { lists, visits });
  return lists;
}

/** Whether any empty list became null. */
interface NulledLists {
  areNull: boolean;
}

interface Dropping {
  lists: NulledLists;
  visits: DividedVisit | undefined;
}

function drop(object: JsonObject, message: string, dropping: Dropping): void {
  const { nulls, fields } = rulesOf(message);
  for (const name of nulls) {
    const value = getOwn(object, name);
    if (value === undefined) setOwn(object, name, null);
    else if (isEmptyList(value)) {
      dropping.lists.areNull = true;
      noteEmptyField(object, name, value);
      setOwn(object, name, null);
    }
  }
  for (const name in object) {
    const rule = fields.get(name);
    const value = object[name];
    if (rule === undefined || value === undefined || value === null) continue;
    if (rule.isZero?.(value)) {
      if (typeof value === 'object') noteEmptyField(object, name, value);
      delete object[name];
    } else if (rule.inner !== undefined && typeof value === 'object') {
      below(value, rule.inner, rule.form, dropping);
    }
  }
}

function below(
  value: JsonObject | JsonValue[],
  message: string,
  form: Rule['form'],
  dropping: Dropping,
): void {
  if (form === 'one') return dropIn(value, message, dropping);
  const inner = form === 'list' ? (value as JsonValue[]) : Object.values(value);
  const { visits } = dropping;
  if (visits !== undefined && isManyParts(inner.length))
    return visits.postpone(visits.each(inner, (item) => dropIn(item, message, dropping)));
  visits?.count(inner.length);
  for (const item of inner) dropIn(item, message, dropping);
}

function dropIn(value: JsonValue, message: string, dropping: Dropping): void {
  if (isObject(value)) drop(value, message, dropping);
}

/** Returns an object with the empty lists that became null; the same object if there are none. */
export function withEmptyLists(object: JsonObject, message: string): JsonObject {
  const { nulls, fields } = rulesOf(message);
  const changes: [string, JsonValue][] = [];
  for (const name of nulls) {
    const value = getOwn(object, name) === null ? emptyFieldOf(object, name) : undefined;
    if (value !== undefined) changes.push([name, value]);
  }
  for (const [name, value] of Object.entries(object)) {
    const rule = fields.get(name);
    if (rule?.inner === undefined || typeof value !== 'object' || value === null) continue;
    const changed = listsBelow(value, rule.inner, rule.form);
    if (changed !== value) changes.push([name, changed]);
  }
  return changes.length === 0 ? object : withFields(object, changes);
}

function listsBelow(value: JsonObject | JsonValue[], message: string, form: Rule['form']): JsonValue {
  const one = (item: JsonValue): JsonValue => (isObject(item) ? withEmptyLists(item, message) : item);
  if (form === 'one') return one(value);
  if (Array.isArray(value)) {
    const items = value.map(one);
    return items.every((item, index) => item === value[index]) ? value : items;
  }
  const changes = Object.entries(value)
    .map(([name, item]): [string, JsonValue] => [name, one(item)])
    .filter(([name, item]) => item !== getOwn(value, name));
  return changes.length === 0 ? value : withFields(value, changes);
}

function withFields(object: JsonObject, fields: readonly (readonly [string, JsonValue])[]): JsonObject {
  const copy = { ...object };
  for (const [name, value] of fields) setOwn(copy, name, value);
  return copy;
}

/**
 * Returns the protobuf message of an OpenAPI component: `io.k8s.api.core.v1.Pod` is `k8s.io.api.core.v1.Pod`.
 */
export const messageOfComponent = (component: string): string =>
  component.replace(/^io\.k8s\./, 'k8s.io.').replaceAll('-', '_');

const zeros = new Set<JsonValue | undefined>([0, false, '']);
const declared = new WeakMap<RecordedComponents, RecordedComponents>();

/** Returns the components without defaults that have no effect: zeros that the Go field omits in JSON. */
export function withoutOmittedDefaults(components: RecordedComponents): RecordedComponents {
  let known = declared.get(components);
  if (known === undefined) {
    const entries = Object.entries(components).map(([name, document]) => [
      name,
      withoutZeros(name, document),
    ]);
    known = Object.fromEntries(entries) as RecordedComponents;
    declared.set(components, known);
  }
  return known;
}

function withoutZeros(component: string, document: JsonObject): JsonObject {
  const properties = Object.entries(isObject(document.properties) ? document.properties : {});
  const isHidden = ([name, property]: [string, JsonValue]) =>
    isObject(property) &&
    zeros.has(property.default) &&
    jsonFields(messageOfComponent(component)).get(name)?.omitZero === true;
  if (!properties.some(isHidden)) return document;
  const shown = properties.map((entry) => {
    if (!isHidden(entry)) return entry;
    const { default: _, ...property } = entry[1] as JsonObject;
    return [entry[0], property];
  });
  return { ...document, properties: Object.fromEntries(shown) as JsonObject };
}
