import { getOwn, isObject, type JsonObject, type JsonValue, setOwn } from './json-object.ts';
import { jsonTypeName } from './json-patch.ts';
import { DividedVisit, isManyParts, type Passes } from './passes.ts';
import { badRequest } from './status.ts';
import { countMember, isKnownWide, namesInPasses } from './wide-objects.ts';

/**
 * Applies an RFC 7396 merge patch and returns the patched object; neither argument is changed, unchanged
 * parts are shared. Nulls in objects of new arrays are dropped, as kube-apiserver does. Throws a
 * StatusError: 400 if the patch is not an object, 413 if an object has too many members. Without field validation (`loose`), kube-apiserver uses a list
 * as the patched document.
 */
export function* applyMergePatchInPasses(doc: JsonObject, patch: unknown, loose = false): Passes<JsonValue> {
  const visit = new DividedVisit();
  const merged = merge(doc, patch, loose, visit);
  if (!visit.isDone) yield* visit.rest();
  return merged;
}

function merge(doc: JsonObject, patch: unknown, loose: boolean, visit: DividedVisit): JsonValue {
  if (patch === null) throw badRequest('Invalid JSON Patch');
  if (isObject(patch)) return mergeObjects(doc, patch, visit);
  if (loose && Array.isArray(patch)) return copyOf(patch, false, visit);
  if (loose) throw badRequest('Invalid JSON Patch');
  throw badRequest(
    `error decoding patch: json: cannot unmarshal ${jsonTypeName(patch)} into Go value of type map[string]interface {}`,
  );
}

function mergeObjects(doc: JsonObject, patch: JsonObject, visit: DividedVisit): JsonObject {
  const merged: JsonObject = {};
  let members = 0;
  const keep = (name: string): void => {
    const value = getOwn(patch, name);
    if (value === null) return;
    if (value === undefined) countMember(merged, ++members, name);
    // permitted: no-inherited-keys, these are its own names
    setOwn(merged, name, doc[name]);
  };
  const set = (name: string): void => {
    // permitted: no-inherited-keys, these are its own names
    const value = patch[name] as JsonValue;
    if (value === null) return;
    countMember(merged, ++members, name);
    setOwn(merged, name, mergeValue(getOwn(doc, name), value, visit));
  };
  if (isPostponed(visit, doc, patch)) visit.postpone(eachMember(visit, [doc, keep], [patch, set]));
  else {
    for (const name of countedNames(doc, visit)) keep(name);
    for (const name of countedNames(patch, visit)) set(name);
  }
  return merged;
}

function mergeValue(current: unknown, patch: JsonValue, visit: DividedVisit): JsonValue {
  if (!isObject(current)) return copyOf(patch, false, visit);
  return isObject(patch) ? mergeObjects(current, patch, visit) : copyOf(patch, true, visit);
}

/** Copies a value, with or without members that are null. */
function copyOf(value: JsonValue, withNulls: boolean, visit: DividedVisit): JsonValue {
  if (Array.isArray(value)) return copyOfArray(value, withNulls, visit);
  if (!isObject(value)) return value;
  const copy: JsonObject = {};
  const set = (name: string): void => {
    // permitted: no-inherited-keys, these are its own names
    const member = value[name] as JsonValue;
    if (withNulls || member !== null) setOwn(copy, name, copyOf(member, withNulls, visit));
  };
  if (isPostponed(visit, value)) visit.postpone(eachMember(visit, [value, set]));
  else for (const name of countedNames(value, visit)) set(name);
  return copy;
}

function copyOfArray(items: readonly JsonValue[], withNulls: boolean, visit: DividedVisit): JsonValue[] {
  const copy: JsonValue[] = [];
  const add = (item: JsonValue): void => void copy.push(copyOf(item, withNulls, visit));
  if (visit.exceeds() || isManyParts(items.length)) visit.postpone(visit.each(items, add));
  else items.forEach(add);
  return copy;
}

const isPostponed = (visit: DividedVisit, ...objects: readonly JsonObject[]): boolean =>
  visit.exceeds() || objects.some(isKnownWide);

/** Returns the names of an object, and counts them as visits. */
function countedNames(object: JsonObject, visit: DividedVisit): string[] {
  const names = Object.keys(object);
  visit.count(names.length);
  return names;
}

/** Visits the members of objects, one after the other. */
function* eachMember(
  visit: DividedVisit,
  ...parts: readonly (readonly [object: JsonObject, visitMember: (name: string) => void])[]
): Passes<void> {
  for (const [object, visitMember] of parts) {
    const names = yield* namesInPasses(object);
    yield* visit.each(names, visitMember);
  }
}
