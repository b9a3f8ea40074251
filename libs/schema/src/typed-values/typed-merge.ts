import {
  countParts,
  deepEqual,
  deepEqualInPasses,
  finish,
  getOwn,
  type JsonObject,
  type JsonValue,
  noteNames,
  type Passes,
  requireFewMembers,
  setOwn,
} from '@annex/machinery';
import type { PathElement } from '../managed-fields/field-set-element.ts';
import type { MergeList, MergeMap, MergeType } from './typed-schema.ts';
import { asList, asMap, formOf, itemElement, unionOfNames, unionOfNamesInPasses } from './typed-value.ts';

type Side = JsonValue | undefined;

/**
 * Merges an applied value into a live one; both must be valid. Changes neither: the result shares parts with both, and is
 * the live value if nothing changes.
 */
export function mergeTyped(live: JsonValue, applied: JsonValue, type: MergeType): JsonValue {
  return merge(live, applied, type) ?? null;
}

/** The same, in passes if the values are large. Throws 413 if a merged map has too many members, those included that are removed afterwards. */
export function* mergeTypedInPasses(live: JsonValue, applied: JsonValue, type: MergeType): Passes<JsonValue> {
  return (yield* new LargeMerge().merge(live, applied, type)) ?? null;
}

/** How many parts of the values one pass merges. */
const mergedAtOnce = 500;

class LargeMerge {
  private left = mergedAtOnce;

  *merge(lhs: Side, rhs: Side, type: MergeType): Passes<Side> {
    if (lhs === undefined || rhs === undefined) {
      yield* this.count(1);
      return merge(lhs, rhs, type);
    }
    const parts = (yield* this.partsOf(lhs)) + (yield* this.partsOf(rhs));
    const form = formOf(type, rhs);
    if (parts > mergedAtOnce && form === 'list') return yield* this.lists(lhs, rhs, type.list as MergeList);
    if (parts > mergedAtOnce && form === 'map') return yield* this.maps(lhs, rhs, type.map as MergeMap);
    yield* this.count(parts + 1);
    return merge(lhs, rhs, type);
  }

  private *maps(lhs: JsonValue, rhs: JsonValue, map: MergeMap): Passes<Side> {
    const names = map.atomic ? [] : yield* unionOfNamesInPasses(asMap(lhs) ?? {}, asMap(rhs) ?? {});
    if (names.length === 0) return (yield* deepEqualInPasses(lhs, rhs)) ? lhs : rhs;
    requireFewMembers(names.length);
    yield* this.count(names.length);
    const merging = new MapMerge(lhs, rhs, map);
    for (const name of names) {
      const [left, right, type] = merging.sidesOf(name);
      if (type !== undefined) merging.add(name, yield* this.merge(left, right, type));
    }
    merging.note(names);
    return merging.result();
  }

  private *lists(lhs: JsonValue, rhs: JsonValue, list: MergeList): Passes<Side> {
    const [left, right] = [asList(lhs) ?? [], asList(rhs) ?? []];
    if (list.atomic || (left.length === 0 && right.length === 0))
      return (yield* deepEqualInPasses(lhs, rhs)) ? lhs : rhs;
    const pairs = yield* new ListMerge(left, right, list).pairs();
    const merged: JsonValue[] = [];
    for (const [l, r] of pairs) {
      const value = yield* this.merge(l, r, list.element);
      if (value !== undefined) merged.push(value);
    }
    return sameItemsOr(lhs, left, merged);
  }

  /** Counts the parts of a value. Those of an object with many members take as long as a pass. */
  private *partsOf(value: JsonValue): Passes<number> {
    const parts = countParts(value, mergedAtOnce);
    if (parts > mergedAtOnce) yield;
    return parts;
  }

  private *count(parts: number): Passes<void> {
    this.left -= parts;
    if (this.left > 0) return;
    yield;
    this.left = mergedAtOnce;
  }
}

function merge(lhs: Side, rhs: Side, type: MergeType): Side {
  if (lhs === undefined && rhs === undefined) return undefined;
  // A field that only one side has is not merged; every form returns that side.
  if (lhs === undefined || rhs === undefined) return rhs === undefined ? lhs : rhs;
  const form = formOf(type, rhs);
  if (form === 'scalar') return rhs;
  return form === 'list'
    ? mergeLists(lhs, rhs, type.list as MergeList)
    : mergeMaps(lhs, rhs, type.map as MergeMap);
}

function mergeMaps(lhs: JsonValue, rhs: JsonValue, map: MergeMap): Side {
  const names = unionOfNames(asMap(lhs) ?? {}, asMap(rhs) ?? {});
  if (map.atomic || names.length === 0) return sameOr(lhs, rhs);
  const merging = new MapMerge(lhs, rhs, map);
  for (const name of names) {
    const [left, right, type] = merging.sidesOf(name);
    if (type !== undefined) merging.add(name, merge(left, right, type));
  }
  return merging.result();
}

/** The fields of two maps, and those of their merged map. */
class MapMerge {
  private readonly left: JsonObject;
  private readonly right: JsonObject;
  private readonly merged: JsonObject = {};
  private isChanged = false;
  private readonly lhs: JsonValue;
  private readonly map: MergeMap;

  constructor(lhs: JsonValue, rhs: JsonValue, map: MergeMap) {
    this.lhs = lhs;
    this.map = map;
    [this.left, this.right] = [asMap(lhs) ?? {}, asMap(rhs) ?? {}];
  }

  sidesOf(name: string): [left: Side, right: Side, type: MergeType | undefined] {
    const type = this.map.fields.get(name)?.type ?? this.map.element;
    return [getOwn(this.left, name) as Side, getOwn(this.right, name) as Side, type];
  }

  add(name: string, value: Side): void {
    if (value !== getOwn(this.left, name)) this.isChanged = true;
    if (value !== undefined) setOwn(this.merged, name, value);
  }

  /** Notes the names of the merged map, if there are many. */
  note(names: readonly string[]): void {
    noteNames(this.merged, names);
  }

  result(): JsonValue {
    return this.isChanged ? this.merged : this.lhs;
  }
}

const sameOr = (lhs: Side, rhs: Side): Side => (deepEqual(lhs, rhs) ? lhs : rhs);

function mergeLists(lhs: JsonValue, rhs: JsonValue, list: MergeList): Side {
  const [left, right] = [asList(lhs) ?? [], asList(rhs) ?? []];
  if (list.atomic || (left.length === 0 && right.length === 0)) return sameOr(lhs, rhs);
  const merged: JsonValue[] = [];
  for (const [l, r] of finish(new ListMerge(left, right, list).pairs())) {
    const value = merge(l, r, list.element);
    if (value !== undefined) merged.push(value);
  }
  return sameItemsOr(lhs, left, merged);
}

const sameItemsOr = (lhs: JsonValue, left: readonly JsonValue[], merged: JsonValue[]): JsonValue =>
  merged.length === left.length && merged.every((item, i) => item === left[i]) ? lhs : merged;

/** Interleaves two associative lists: applied items keep their order, and other live items stay before the next common item. */
class ListMerge {
  private readonly out: [lhs: Side, rhs: Side][] = [];
  private readonly left: readonly JsonValue[];
  private readonly right: readonly JsonValue[];
  private readonly leftElements: PathElement[] = [];
  private readonly rightElements: PathElement[] = [];
  private readonly leftItems = new Map<PathElement, Side>();
  private readonly rightItems = new Map<PathElement, Side>();
  private readonly merged = new Set<PathElement>();
  private shared: readonly PathElement[] = [];
  private nextShared = 0;
  private readonly list: MergeList;

  constructor(left: readonly JsonValue[], right: readonly JsonValue[], list: MergeList) {
    this.list = list;
    this.left = left;
    this.right = right;
  }

  /** Returns the items to merge, in the order of the merged list. */
  *pairs(): Passes<[lhs: Side, rhs: Side][]> {
    for (const [i, item] of this.left.entries()) {
      const element = itemElement(this.list, item);
      this.leftElements.push(element);
      // An applied item replaces live duplicates instead of merging with them.
      this.leftItems.set(element, this.leftItems.has(element) ? null : item);
      if (i % mergedAtOnce === mergedAtOnce - 1) yield;
    }
    for (const [i, item] of this.right.entries()) {
      const element = itemElement(this.list, item);
      this.rightElements.push(element);
      this.rightItems.set(element, item);
      if (i % mergedAtOnce === mergedAtOnce - 1) yield;
    }
    this.shared = this.rightElements.filter((element) => this.leftItems.has(element));
    if (this.leftElements.length + this.rightElements.length > mergedAtOnce) yield;
    yield* this.interleave();
    return this.out;
  }

  private *interleave(): Passes<void> {
    let [l, r] = [0, 0];
    for (let steps = 1; l < this.leftElements.length || r < this.rightElements.length; steps++) {
      if (steps % mergedAtOnce === 0) yield;
      const element = this.leftElements[l];
      const applied = this.rightElements[r];
      if (element !== undefined && applied !== undefined) {
        if (element === applied) {
          this.take(element, this.leftItems.get(element), this.rightItems.get(element));
          l++;
          r++;
          this.nextShared++;
          continue;
        }
        const next = this.shared[this.nextShared];
        if (this.rightItems.has(element) && next !== undefined && next !== element) {
          l++;
          continue;
        }
      }
      if (element !== undefined) {
        if (!this.rightItems.has(element)) {
          this.take(element, this.left[l], undefined);
          l++;
          continue;
        }
        if (this.merged.has(element)) l++;
      }
      if (applied !== undefined) {
        this.take(applied, this.leftItems.get(applied), this.rightItems.get(applied));
        r++;
        if (this.shared[this.nextShared] === applied) this.nextShared++;
      }
    }
  }

  private take(element: PathElement, lhs: Side, rhs: Side): void {
    if (rhs !== undefined) this.merged.add(element);
    this.out.push([lhs, rhs]);
  }
}
