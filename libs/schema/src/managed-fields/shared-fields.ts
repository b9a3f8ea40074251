import {
  deepCopy,
  isObject,
  type JsonValue,
  type KubeObject,
  type ManagedFieldsEntry,
} from '@annex/machinery';
import { isSortedJson, sortedJson } from '../sorted-json.ts';
import { type FieldsV1, knowAs } from './field-set-json.ts';

// Half of a small object is its fieldsV1, and most writes do not change them. Copies of an object share them, so that they are decoded, sorted
// and encoded once.

/** Copies an object deeply. The copy shares the fieldsV1, which nobody may change. */
export const copyObject = (object: KubeObject): KubeObject => copied(object, deepCopy, (fields) => fields);

/** Copies an object like `sortedJson`. The copy shares the fieldsV1 if they are sorted, and with all other copies if they are not. */
export const sortedObject = (object: KubeObject): KubeObject =>
  copied(object, (value) => sortedJson(value as JsonValue) as typeof value, sortedFields);

/** Returns whether the keys of every object in an object are sorted. */
export function isSortedObject(object: KubeObject): boolean {
  const entries = object.metadata.managedFields;
  if (!Array.isArray(entries)) return isSortedJson(asJson(object));
  return isSortedJson(asJson(withoutEntries(object))) && entries.every(isSortedEntry);
}

function isSortedEntry(entry: ManagedFieldsEntry): boolean {
  const fields: unknown = entry?.fieldsV1;
  if (!isObject(fields)) return isSortedJson(asJson(entry));
  return sortedFields(fields) === fields && isSortedJson(asJson(withoutFields(entry)));
}

type Copy = <T extends object>(value: T) => T;

function copied(object: KubeObject, copy: Copy, copyFields: (fields: FieldsV1) => FieldsV1): KubeObject {
  const entries = object.metadata.managedFields;
  if (!Array.isArray(entries)) return copy(object);
  const result = copy(withoutEntries(object));
  result.metadata.managedFields = entries.map((entry) => {
    const fields: unknown = entry?.fieldsV1;
    if (!isObject(fields)) return copy(entry);
    const copiedEntry = copy(withoutFields(entry));
    copiedEntry.fieldsV1 = copyFields(fields);
    return copiedEntry;
  });
  return result;
}

// What is left out keeps its place among the other members.
const withoutEntries = (object: KubeObject): KubeObject => ({
  ...object,
  metadata: { ...object.metadata, managedFields: [] },
});

const noFields: FieldsV1 = {};
const withoutFields = (entry: ManagedFieldsEntry): ManagedFieldsEntry => ({ ...entry, fieldsV1: noFields });

const sortedForms = new WeakMap<FieldsV1, FieldsV1>();

/** Returns fieldsV1 with sorted keys, and the same for the same fieldsV1. */
function sortedFields(fields: FieldsV1): FieldsV1 {
  let sorted = sortedForms.get(fields);
  if (sorted === undefined) {
    sorted = isSortedJson(asJson(fields)) ? fields : (sortedJson(asJson(fields)) as FieldsV1);
    sortedForms.set(fields, sorted);
    sortedForms.set(sorted, sorted);
    if (sorted !== fields) knowAs(sorted, fields);
  }
  return sorted;
}

const asJson = (value: object): JsonValue => value as JsonValue;
