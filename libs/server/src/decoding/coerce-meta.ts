import { type JsonObject, type JsonValue, isObject } from '@annex/machinery';
import { coerceObjectMeta, objectMetaError, sortedJson } from '@annex/schema';

/** Why the metadata of a custom resource cannot be decoded, in Go's words, or `undefined`. kube reads it sorted. */
export function metaError({ metadata }: JsonObject): string | undefined {
  if (metadata === undefined || metadata === null) return undefined;
  return objectMetaError(metadata) && objectMetaError(sortedJson(metadata));
}

/**
 * Brings the decodable metadata of a custom resource into the shape of ObjectMeta: unknown fields, nulls and zero values
 * are removed. Returns the paths of the unknown fields.
 */
export function coerceMeta({ metadata }: JsonObject): string[] {
  if (!isObject(metadata)) return [];
  const unknown = coerceObjectMeta(metadata);
  return unknown.map((path) => `metadata.${path}`).sort();
}

/** Leaves out what is empty, as Go does when it writes ObjectMeta. Empty managedFields say something: they stay. */
export function tidyMeta(metadata: unknown): void {
  if (!isObject(metadata)) return;
  for (const name in metadata) {
    if (name !== 'managedFields' && isEmpty(metadata[name] as JsonValue)) delete metadata[name];
  }
}

const isEmpty = (value: JsonValue): boolean =>
  value === '' || (typeof value === 'object' && value !== null && Object.keys(value).length === 0);
