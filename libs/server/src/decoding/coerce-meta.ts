import {
  hasManyParts,
  isEmptyMap,
  isObject,
  type JsonObject,
  type JsonValue,
  type Passes,
} from '@annex/machinery';
import { coerceObjectMeta, objectMetaError, sortedJson } from '@annex/schema';

/**
 * Returns Go's error message for metadata of a custom resource that cannot be decoded, else `undefined`.
 * kube-apiserver reads the fields in sorted order; of very many fields, the first error is that of their own order.
 */
export function* metaError({ apiVersion, metadata }: JsonObject): Passes<string | undefined> {
  if (apiVersion === null) return '.apiVersion accessor error: <nil> is of the type <nil>, expected string';
  if (metadata === undefined || metadata === null) return undefined;
  const error = objectMetaError(metadata);
  if (error === undefined) return undefined;
  yield;
  return hasManyParts(metadata) ? error : objectMetaError(sortedJson(metadata));
}

/**
 * Brings the decodable metadata of a custom resource into the shape of ObjectMeta: removes unknown fields,
 * nulls and zero values. Returns the paths of the unknown fields.
 */
export function coerceMeta({ metadata }: JsonObject): string[] {
  if (!isObject(metadata)) return [];
  const unknown = coerceObjectMeta(metadata);
  return unknown.map((path) => `metadata.${path}`).sort();
}

/**
 * Removes empty fields, as Go does when it writes ObjectMeta. Empty managedFields have a meaning: they stay.
 */
export function removeEmptyFields(metadata: unknown): void {
  if (!isObject(metadata)) return;
  for (const name in metadata) {
    if (name !== 'managedFields' && isEmpty(metadata[name] as JsonValue)) delete metadata[name];
  }
}

const isEmpty = (value: JsonValue): boolean =>
  value === '' || (Array.isArray(value) && value.length === 0) || isEmptyMap(value);
