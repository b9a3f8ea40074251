import { isObject, type JsonObject, type JsonValue } from '@annex/machinery';
import { jsonFields, type MessageField } from '../protobuf/messages.ts';
import { isPlainMessage } from '../protobuf/values.ts';
import type { RecordedComponents } from './data.ts';

const lists = new Map<string, string[]>();

function nullableLists(message: string): string[] {
  let names = lists.get(message);
  if (names === undefined) {
    names = [...jsonFields(message).values()]
      .filter((field) => field.nullWhenEmpty)
      .map((field) => field.json);
    lists.set(message, names);
  }
  return names;
}

// CustomResourceDefinitions are kept as JSON, where an empty list is one.
const keepsEmptyLists = (message: string) => message.startsWith('k8s.io.apiextensions_apiserver.');

/**
 * Brings values into the form that a round trip through protobuf gives them, as kube-apiserver keeps them: empty lists,
 * maps and strings, zeros and false are gone where the Go field is no pointer and leaves its zero value out of JSON, and
 * empty lists of other fields are null.
 */
export function dropZeros(object: JsonObject, message: string): void {
  const fields = jsonFields(message);
  if (!keepsEmptyLists(message)) {
    for (const name of nullableLists(message)) {
      const value = object[name];
      if (value === undefined || (Array.isArray(value) && value.length === 0)) object[name] = null;
    }
  }
  for (const name of Object.keys(object)) {
    const field = fields.get(name);
    const value = object[name];
    if (field === undefined || value === undefined || value === null) continue;
    if (field.omitZero && isZero(value, field) && name !== 'managedFields') delete object[name];
    else if (field.type.includes('.') && typeof value === 'object') below(value, field);
  }
}

function below(value: JsonObject | JsonValue[], { type, map, repeated }: MessageField): void {
  if (!isPlainMessage(type)) return;
  const inner = repeated ? (value as JsonValue[]) : map ? Object.values(value) : [value];
  for (const item of inner) if (isObject(item)) dropZeros(item, type);
}

function isZero(value: JsonValue, { repeated, map }: MessageField): boolean {
  if (repeated) return Array.isArray(value) && value.length === 0;
  if (map) return isObject(value) && Object.keys(value).length === 0;
  return value === '' || value === 0 || value === false;
}

/** The protobuf message of an OpenAPI component: `io.k8s.api.core.v1.Pod` is `k8s.io.api.core.v1.Pod`. */
export const messageOfComponent = (component: string): string =>
  component.replace(/^io\.k8s\./, 'k8s.io.').replaceAll('-', '_');

const zeros = new Set<JsonValue | undefined>([0, false, '']);
const declared = new WeakMap<RecordedComponents, RecordedComponents>();

/** The components without those defaults that never show: a zero that the Go field leaves out of JSON. */
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
