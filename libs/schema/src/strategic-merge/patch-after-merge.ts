import { getOwn, isObject, type JsonObject, type JsonValue, setOwn } from '@annex/machinery';
import type { SchemaNode } from '../node.ts';
import { isMerging } from './strategic-merge-list.ts';
import { directiveMarker, orderPrefix, retainKeys } from './strategic-merge-directives.ts';

/**
 * Returns what kube-apiserver leaves of a strategic merge patch that it has applied to an object, which it quotes when the result cannot be
 * decoded: without the lists that have a `$setElementOrder`, without directives it has followed, and without nulls of new maps.
 */
export const patchAfterMerge = (object: JsonObject, patch: unknown, schema: SchemaNode): unknown =>
  isObject(patch) ? leftOfMap(object, patch, schema) : patch;

function leftOfMap(original: JsonObject, patch: JsonObject, node: SchemaNode | undefined): JsonObject {
  const left: JsonObject = {};
  if (Object.hasOwn(patch, directiveMarker)) {
    const isReplacement = patch[directiveMarker] === 'replace';
    return isReplacement ? membersWithout(patch, (key) => key === directiveMarker) : patch;
  }
  const isOrdered = (key: string) => Object.hasOwn(patch, `${orderPrefix}/${key}`);
  for (const key of Object.keys(patch)) {
    if (key === retainKeys || key.startsWith(orderPrefix) || isOrdered(key)) continue;
    const [value, before] = [patch[key] as JsonValue, getOwn(original, key) as JsonValue | undefined];
    setOwn(left, key, leftOfValue(before, value, node?.properties?.get(key)));
  }
  return left;
}

function leftOfValue(
  original: JsonValue | undefined,
  patch: JsonValue,
  node: SchemaNode | undefined,
): JsonValue {
  if (isObject(original) && isObject(patch))
    return node?.patchStrategy === 'replace' ? patch : leftOfMap(original, patch, node);
  if (!Array.isArray(original) || !Array.isArray(patch)) return leftOfNew(patch);
  const mergeKey = node?.patchMergeKey;
  if (mergeKey === undefined || !isMerging(node ?? {})) return patch;
  const items = new Map(original.map((item) => [isObject(item) ? getOwn(item, mergeKey) : undefined, item]));
  return patch.map((item) => {
    if (!isObject(item) || hasDirective(item)) return item;
    const before = items.get(getOwn(item, mergeKey));
    return isObject(before) ? leftOfMap(before, item, node?.items) : item;
  });
}

/** Returns what is left of a value that the object did not have, or had with another type. */
function leftOfNew(patch: JsonValue): JsonValue {
  if (Array.isArray(patch)) return patch.map(leftOfNew);
  if (!isObject(patch)) return patch;
  const kept = membersWithout(patch, (_, value) => value === null || hasDirective(value));
  for (const key of Object.keys(kept)) {
    const value = leftOfNew(kept[key] as JsonValue);
    // kube-apiserver makes new lists without directives. Only those in a map replace the lists of the patch.
    setOwn(kept, key, Array.isArray(value) ? value.filter((item) => !hasDirective(item)) : value);
  }
  return kept;
}

const hasDirective = (value: JsonValue): boolean => isObject(value) && Object.hasOwn(value, directiveMarker);

function membersWithout(map: JsonObject, isDropped: (key: string, value: JsonValue) => boolean): JsonObject {
  const kept: JsonObject = {};
  for (const [key, value] of Object.entries(map)) {
    if (!isDropped(key, value as JsonValue)) setOwn(kept, key, value as JsonValue);
  }
  return kept;
}
