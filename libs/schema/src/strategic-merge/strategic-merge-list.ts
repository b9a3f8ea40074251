import {
  copyInPasses,
  getOwn,
  isObject,
  type JsonObject,
  type JsonValue,
  type Passes,
  sortInPasses,
} from '@annex/machinery';
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
import { each, filtered, mapped, setOf } from './list-passes.ts';
import { goText, goTypeName } from '../typed-values/typed-value.ts';

type List = readonly JsonValue[];

/** How many items are merged, or compared, in one pass. */
const mergedAtOnce = 200;
const comparedAtOnce = 500;

/** Merges a patch of a map; `node` is the schema of the map. */
export type MergeMaps = (
  original: JsonObject,
  patch: JsonObject,
  node: SchemaNode | undefined,
) => Passes<JsonObject>;

/** Merges a patch of a list field; with `isDeletion`, removes the scalars of the patch. */
export function* mergeLists(
  original: List,
  patch: List,
  field: SchemaNode,
  mergeMaps: MergeMaps,
  isDeletion = false,
): Passes<JsonValue[]> {
  if (!isMerging(field) && !isDeletion) return yield* copyInPasses([...patch]);
  if (original.length === 0 && patch.length === 0) return [];
  if ((yield* elementType(original, patch)) === 'map')
    return yield* mergeItems(original, patch, field, mergeMaps);
  if (field.patchMergeKey !== undefined && !isDeletion) yield* each([...original, ...patch], asItemMap);
  return yield* mergeScalars(original, patch, isDeletion);
}

/** Returns whether the items of a list are merged, instead of replaced. */
export const isMerging = ({ patchStrategy = '' }: SchemaNode): boolean =>
  patchStrategy
    .split(',')
    .filter((strategy) => strategy !== 'retainKeys')
    .join() === 'merge';

/** Returns the type of all items. Throws if they differ or are lists. */
function* elementType(...lists: List[]): Passes<'map' | 'scalar'> {
  const first = lists.find(({ length }) => length > 0)?.[0];
  if (first === undefined) throw new StrategicMergeError('no elements in any of the given slices');
  if (Array.isArray(first)) throw new StrategicMergeError('lists of lists are not supported', 'Invalid');
  const type = goTypeName(first);
  let isMixed = false;
  for (const list of lists) yield* each(list, (item) => (isMixed ||= goTypeName(item) !== type));
  if (isMixed) {
    throw new StrategicMergeError(
      `list element types are not identical: ${goText(lists.map((list) => [...list]))}`,
    );
  }
  return isObject(first) ? 'map' : 'scalar';
}

function* mergeScalars(original: List, patch: List, isDeletion: boolean): Passes<JsonValue[]> {
  const named = yield* setOf(patch);
  const serverOnly = yield* filtered(original, (item) => !named.has(item));
  if (isDeletion) return serverOnly;
  const distinct = [...(yield* setOf(serverOnly))];
  return yield* interleave(distinct, [...named], original, (item) => item);
}

function* mergeItems(
  original: List,
  patch: List,
  field: SchemaNode,
  mergeMaps: MergeMaps,
): Passes<JsonValue[]> {
  const key = field.patchMergeKey;
  if (key === undefined) throw new StrategicMergeError('cannot merge lists without merge key for struct');
  const { live, patches } = yield* followItemDirectives(original, patch, key);
  const merged = yield* mergeByKey(live, patches, key, (item, change) =>
    mergeMaps(item, change, field.items),
  );
  const order = yield* mapped(patches, (item) => keyOf(item, key));
  const [patched, serverOnly] = yield* partition(merged, yield* setOf(order), key);
  const sorted = yield* sortBy(patched, order, key);
  return yield* interleave(serverOnly, sorted, live, (item) => getOwn(item as object, key));
}

function* followItemDirectives(
  original: List,
  patch: List,
  key: string,
): Passes<{ live: List; patches: JsonObject[] }> {
  const patches: JsonObject[] = [];
  const deleted = new Set<unknown>();
  let isReplaced = false;
  yield* each(yield* mapped(patch, asItemMap), (item) => {
    if (!Object.hasOwn(item, directiveMarker)) return void patches.push(item);
    const directive = item[directiveMarker] as JsonValue;
    if (directive === 'delete') deleted.add(keyOf(item, key));
    else if (directive === 'replace') isReplaced = true;
    else if (directive === 'merge')
      throw new StrategicMergeError('merging lists cannot yet be specified in the patch');
    else throw unknownDirective(directive, item);
  });
  if (isReplaced) return { live: yield* copyInPasses(patches), patches: [] };
  const live = yield* filtered(original, (item) => !deleted.has(getOwn(asItemMap(item), key)));
  return { live, patches };
}

function* mergeByKey(
  original: List,
  patches: readonly JsonObject[],
  key: string,
  mergeItem: (item: JsonObject, patch: JsonObject) => Passes<JsonObject>,
): Passes<JsonValue[]> {
  const merged = [...original];
  const places = new Map<unknown, number>();
  yield* each(merged, (item, i) => {
    const value = getOwn(asItemMap(item), key);
    if (value !== undefined && !places.has(value)) places.set(value, i);
  });
  for (const [i, patch] of patches.entries()) {
    if (i > 0 && i % mergedAtOnce === 0) yield;
    const value = keyOf(patch, key);
    const place = places.get(value);
    if (place !== undefined) {
      merged[place] = yield* mergeItem(merged[place] as JsonObject, patch);
    } else {
      places.set(value, merged.length);
      // kube-apiserver leaves nulls and directives in new items.
      merged.push(yield* copyInPasses(patch));
    }
  }
  return merged;
}

function keyOf(item: JsonObject, key: string): JsonValue {
  if (!Object.hasOwn(item, key)) throw noMergeKey(item, key);
  return item[key] as JsonValue;
}

/** Merges a list with `$setElementOrder` and sorts it by that list, then by the patch, then by the original order. */
export function* orderLists(
  original: List | undefined,
  patch: List | undefined,
  order: List,
  field: SchemaNode,
  mergeMaps: MergeMaps,
): Passes<JsonValue[]> {
  const key = field.patchMergeKey;
  yield* checkOrder(patch ?? [], order, key);
  const merged =
    patch === undefined
      ? [...(original ?? [])]
      : original === undefined
        ? ((yield* withoutDirectives([...patch])) as JsonValue[])
        : yield* mergeLists(original, patch, field, mergeMaps);
  yield* elementType(original ?? [], patch ?? []);
  if (key === undefined) {
    const named = yield* setOf(order);
    const patched = yield* sortBy(yield* filtered(merged, (item) => named.has(item)), order);
    const others = yield* filtered(merged, (item) => !named.has(item));
    return yield* interleave(others, patched, original ?? [], (item) => item);
  }
  const keys = yield* mapped(order, (item) => keyOf(asItemMap(item), key));
  const [patched, serverOnly] = yield* partition(merged, yield* setOf(keys), key);
  const live =
    original === undefined || patch === undefined
      ? (original ?? [])
      : yield* serverOrder(original, patch, key);
  const sorted = yield* sortBy(patched, keys, key);
  return yield* interleave(serverOnly, sorted, live, (item) => getOwn(item as object, key));
}

/**
 * Returns the live list after deletions. In kube-apiserver, new items take the positions of deleted ones, which affects the
 * position of items that only the server has.
 */
function* serverOrder(original: List, patch: List, key: string): Passes<List> {
  const { live, patches } = yield* followItemDirectives(original, patch, key);
  const known = yield* setOf(yield* mapped(live, (item) => getOwn(item as object, key)));
  const added = yield* filtered(patches, (item) => !known.has(getOwn(item, key)));
  return [...live, ...added.slice(0, Math.max(0, original.length - live.length))];
}

/** Checks that the items of a patch are in the order list, in the same order. */
function* checkOrder(patch: List, order: List, key: string | undefined): Passes<void> {
  if (order.length === 0 || patch.length === 0) return;
  const items =
    key === undefined
      ? patch
      : yield* filtered(patch, (item) => asItemMap(item)[directiveMarker] !== 'delete');
  const valueOf = (item: JsonValue) => (key === undefined ? item : keyOf(asItemMap(item), key));
  let next = 0;
  for (let i = 0; i < order.length && next < items.length;) {
    if ((i + next) % comparedAtOnce === comparedAtOnce - 1) yield;
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

function* partition(
  items: List,
  named: ReadonlySet<unknown>,
  key: string,
): Passes<[JsonValue[], JsonValue[]]> {
  const [inside, outside]: [JsonValue[], JsonValue[]] = [[], []];
  yield* each(items, (item) => (named.has(keyOf(asItemMap(item), key)) ? inside : outside).push(item));
  return [inside, outside];
}

function* sortBy(items: List, order: List, key?: string): Passes<JsonValue[]> {
  const places = yield* placesOf(order, (item) => item);
  const placed = yield* mapped(items, (item) => ({
    item,
    place: places.get(key === undefined ? item : getOwn(item as object, key)) ?? 0,
  }));
  return yield* mapped(yield* sortInPasses(placed, (a, b) => a.place - b.place), ({ item }) => item);
}

function* placesOf(items: List, valueOf: (item: JsonValue) => unknown): Passes<Map<unknown, number>> {
  const places = new Map<unknown, number>();
  yield* each(items, (item, i) => {
    const value = valueOf(item);
    if (!places.has(value)) places.set(value, i);
  });
  return places;
}

/** Inserts each server-only item before the first patched item that follows it in the live list. */
function* interleave(
  serverOnly: List,
  patched: List,
  live: List,
  valueOf: (item: JsonValue) => unknown,
): Passes<JsonValue[]> {
  const places = yield* placesOf(live, valueOf);
  const placeOf = (item: JsonValue) => places.get(valueOf(item));
  const result: JsonValue[] = [];
  let [i, j] = [0, 0];
  while (i < serverOnly.length && j < patched.length) {
    if ((i + j) % comparedAtOnce === comparedAtOnce - 1) yield;
    const [left, right] = [placeOf(serverOnly[i] as JsonValue), placeOf(patched[j] as JsonValue)];
    const isBefore = left !== undefined && right !== undefined && left < right;
    result.push((isBefore ? serverOnly[i++] : patched[j++]) as JsonValue);
  }
  return [...result, ...patched.slice(j), ...serverOnly.slice(i)];
}
