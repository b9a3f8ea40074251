import { deepCopy, getOwn, isObject, type JsonObject, type JsonValue } from '@annex/machinery';
import type { SchemaNode } from '../node.ts';
import {
  asItemMap,
  withoutDirectives,
  directiveMarker,
  noMergeKey,
  orderPrefix,
  StrategicMergeError,
  unknownDirective,
} from './strategic-merge-directives.ts';
import { goText, goTypeName } from '../typed-values/typed-value.ts';

type List = readonly JsonValue[];

/** Merges a patch of a map; `node` is the schema of the map. */
export type MergeMaps = (original: JsonObject, patch: JsonObject, node: SchemaNode | undefined) => JsonObject;

/** Merges a patch of a list field; with `isDeletion`, removes the scalars of the patch. */
export function mergeLists(
  original: List,
  patch: List,
  field: SchemaNode,
  mergeMaps: MergeMaps,
  isDeletion = false,
): JsonValue[] {
  if (!isMerging(field) && !isDeletion) return deepCopy([...patch]);
  if (original.length === 0 && patch.length === 0) return [];
  if (elementType(original, patch) === 'map') return mergeItems(original, patch, field, mergeMaps);
  if (field.patchMergeKey !== undefined && !isDeletion) [...original, ...patch].forEach(asItemMap);
  return mergeScalars(original, patch, isDeletion);
}

const isMerging = ({ patchStrategy = '' }: SchemaNode): boolean =>
  patchStrategy
    .split(',')
    .filter((strategy) => strategy !== 'retainKeys')
    .join() === 'merge';

/** Returns the type of all items. Throws if they differ or are lists. */
function elementType(...lists: List[]): 'map' | 'scalar' {
  const items = lists.flat();
  const [first] = items;
  if (first === undefined) throw new StrategicMergeError('no elements in any of the given slices');
  if (Array.isArray(first)) throw new StrategicMergeError('lists of lists are not supported', 'Invalid');
  const type = goTypeName(first);
  if (items.some((item) => goTypeName(item) !== type)) {
    throw new StrategicMergeError(
      `list element types are not identical: ${goText(lists.map((list) => [...list]))}`,
    );
  }
  return isObject(first) ? 'map' : 'scalar';
}

function mergeScalars(original: List, patch: List, isDeletion: boolean): JsonValue[] {
  const named = new Set(patch);
  const serverOnly = original.filter((item) => !named.has(item));
  if (isDeletion) return serverOnly;
  const distinct = [...new Set(serverOnly)];
  return interleave(distinct, [...named], original, (item) => item);
}

function mergeItems(original: List, patch: List, field: SchemaNode, mergeMaps: MergeMaps): JsonValue[] {
  const key = field.patchMergeKey;
  if (key === undefined) throw new StrategicMergeError('cannot merge lists without merge key for struct');
  const { live, patches } = followItemDirectives(original, patch, key);
  const merged = mergeByKey(live, patches, key, (item, change) => mergeMaps(item, change, field.items));
  const order = patches.map((item) => keyOf(item, key));
  const [patched, serverOnly] = partition(merged, new Set(order), key);
  return interleave(serverOnly, sortBy(patched, order, key), live, (item) => getOwn(item as object, key));
}

function followItemDirectives(
  original: List,
  patch: List,
  key: string,
): { live: List; patches: JsonObject[] } {
  const patches: JsonObject[] = [];
  const deleted = new Set<unknown>();
  let isReplaced = false;
  for (const item of patch.map(asItemMap)) {
    if (!Object.hasOwn(item, directiveMarker)) {
      patches.push(item);
      continue;
    }
    const directive = item[directiveMarker] as JsonValue;
    if (directive === 'delete') deleted.add(keyOf(item, key));
    else if (directive === 'replace') isReplaced = true;
    else if (directive === 'merge')
      throw new StrategicMergeError('merging lists cannot yet be specified in the patch');
    else throw unknownDirective(directive, item);
  }
  if (isReplaced) return { live: deepCopy(patches), patches: [] };
  return { live: original.filter((item) => !deleted.has(getOwn(asItemMap(item), key))), patches };
}

function mergeByKey(
  original: List,
  patches: readonly JsonObject[],
  key: string,
  mergeItem: (item: JsonObject, patch: JsonObject) => JsonObject,
): JsonValue[] {
  const merged = [...original];
  const places = new Map<unknown, number>();
  for (const [i, item] of merged.entries()) {
    const value = getOwn(asItemMap(item), key);
    if (value !== undefined && !places.has(value)) places.set(value, i);
  }
  for (const patch of patches) {
    const value = keyOf(patch, key);
    const place = places.get(value);
    if (place !== undefined) {
      merged[place] = mergeItem(merged[place] as JsonObject, patch);
    } else {
      places.set(value, merged.length);
      merged.push(withoutDirectives(patch) ?? {});
    }
  }
  return merged;
}

function keyOf(item: JsonObject, key: string): JsonValue {
  if (!Object.hasOwn(item, key)) throw noMergeKey(item, key);
  return item[key] as JsonValue;
}

/** Merges a list with `$setElementOrder` and sorts it by that list, then by the patch, then by the original order. */
export function orderLists(
  original: List | undefined,
  patch: List | undefined,
  order: List,
  field: SchemaNode,
  mergeMaps: MergeMaps,
): JsonValue[] {
  const key = field.patchMergeKey;
  checkOrder(patch ?? [], order, key);
  const merged =
    patch === undefined
      ? [...(original ?? [])]
      : original === undefined
        ? (withoutDirectives([...patch]) as JsonValue[])
        : mergeLists(original, patch, field, mergeMaps);
  elementType(original ?? [], patch ?? []);
  if (key === undefined) {
    const named = new Set(order);
    const patched = sortBy(
      merged.filter((item) => named.has(item)),
      order,
    );
    return interleave(
      merged.filter((item) => !named.has(item)),
      patched,
      original ?? [],
      (item) => item,
    );
  }
  const keys = order.map((item) => keyOf(asItemMap(item), key));
  const [patched, serverOnly] = partition(merged, new Set(keys), key);
  const live =
    original === undefined || patch === undefined ? (original ?? []) : serverOrder(original, patch, key);
  return interleave(serverOnly, sortBy(patched, keys, key), live, (item) => getOwn(item as object, key));
}

/**
 * Returns the live list after deletions. In kube-apiserver, new items take the positions of deleted ones, which affects the
 * position of items that only the server has.
 */
function serverOrder(original: List, patch: List, key: string): List {
  const { live, patches } = followItemDirectives(original, patch, key);
  const known = new Set(live.map((item) => getOwn(item as object, key)));
  const added = patches.filter((item) => !known.has(getOwn(item, key)));
  return [...live, ...added.slice(0, Math.max(0, original.length - live.length))];
}

/** Checks that the items of a patch are in the order list, in the same order. */
function checkOrder(patch: List, order: List, key: string | undefined): void {
  if (order.length === 0 || patch.length === 0) return;
  const items =
    key === undefined ? patch : patch.filter((item) => asItemMap(item)[directiveMarker] !== 'delete');
  const valueOf = (item: JsonValue) => (key === undefined ? item : keyOf(asItemMap(item), key));
  let next = 0;
  for (let i = 0; i < order.length && next < items.length;) {
    const item = items[next] as JsonValue;
    if (isObject(item) && Object.hasOwn(item, directiveMarker)) next++;
    else if (valueOf(item) === valueOf(order[i++] as JsonValue)) next++;
  }
  if (next < items.length) {
    throw new StrategicMergeError(
      `The order in patch list:\n${goText([...patch])}\n doesn't match ${orderPrefix} list:\n${goText([...order])}\n`,
    );
  }
}

function partition(items: List, named: ReadonlySet<unknown>, key: string): [JsonValue[], JsonValue[]] {
  const [inside, outside]: [JsonValue[], JsonValue[]] = [[], []];
  for (const item of items) (named.has(keyOf(asItemMap(item), key)) ? inside : outside).push(item);
  return [inside, outside];
}

function sortBy(items: List, order: List, key?: string): JsonValue[] {
  const places = placesOf(order, (item) => item);
  const placeOf = (item: JsonValue) =>
    places.get(key === undefined ? item : getOwn(item as object, key)) ?? 0;
  return [...items].sort((a, b) => placeOf(a) - placeOf(b));
}

function placesOf(items: List, valueOf: (item: JsonValue) => unknown): Map<unknown, number> {
  const places = new Map<unknown, number>();
  for (const [i, item] of items.entries()) {
    const value = valueOf(item);
    if (!places.has(value)) places.set(value, i);
  }
  return places;
}

/** Inserts each server-only item before the first patched item that follows it in the live list. */
function interleave(
  serverOnly: List,
  patched: List,
  live: List,
  valueOf: (item: JsonValue) => unknown,
): JsonValue[] {
  const places = placesOf(live, valueOf);
  const placeOf = (item: JsonValue) => places.get(valueOf(item));
  const result: JsonValue[] = [];
  let [i, j] = [0, 0];
  while (i < serverOnly.length && j < patched.length) {
    const [left, right] = [placeOf(serverOnly[i] as JsonValue), placeOf(patched[j] as JsonValue)];
    const isBefore = left !== undefined && right !== undefined && left < right;
    result.push((isBefore ? serverOnly[i++] : patched[j++]) as JsonValue);
  }
  return [...result, ...patched.slice(j), ...serverOnly.slice(i)];
}
