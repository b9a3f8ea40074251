import { deepCopy } from './json.ts';
import { getOwn, isObject, type JsonObject, type JsonValue, setOwn } from './json-object.ts';
import { jsonTypeName } from './json-patch.ts';
import { badRequest } from './status.ts';

/**
 * Applies an RFC 7396 merge patch and returns the patched object; neither argument is changed, unchanged
 * parts are shared. Nulls in objects of new arrays are dropped, as kube-apiserver does. Throws a 400
 * StatusError if the patch is not an object. Without field validation (`loose`), kube-apiserver uses a list
 * as the patched document.
 */
export function applyMergePatch(doc: JsonObject, patch: unknown, loose = false): JsonValue {
  if (patch === null) throw badRequest('Invalid JSON Patch');
  if (!isObject(patch)) {
    if (loose && Array.isArray(patch)) return withoutNulls(patch);
    if (loose) throw badRequest('Invalid JSON Patch');
    throw badRequest(
      `error decoding patch: json: cannot unmarshal ${jsonTypeName(patch)} into Go value of type map[string]interface {}`,
    );
  }
  return mergeObjects(doc, patch);
}

function mergeObjects(doc: JsonObject, patch: JsonObject): JsonObject {
  const merged: JsonObject = {};
  for (const key of Object.keys(doc)) {
    if (getOwn(patch, key) !== null) setOwn(merged, key, doc[key]);
  }
  for (const key of Object.keys(patch)) {
    const value = patch[key] as JsonValue;
    if (value !== null) setOwn(merged, key, mergeValue(getOwn(doc, key), value));
  }
  return merged;
}

function mergeValue(current: unknown, patch: JsonValue): JsonValue {
  if (!isObject(current)) return withoutNulls(patch);
  return isObject(patch) ? mergeObjects(current, patch) : deepCopy(patch);
}

function withoutNulls(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (!isObject(value)) return value;
  const result: JsonObject = {};
  for (const key of Object.keys(value)) {
    const member = value[key] as JsonValue;
    if (member !== null) setOwn(result, key, withoutNulls(member));
  }
  return result;
}
