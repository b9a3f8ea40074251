import { deepEqual, getOwn, type JsonObject, type JsonValue, setOwn } from '@annex/machinery';
import type { PathElement } from '../managed-fields/field-set-element.ts';
import type { MergeList, MergeMap, MergeType } from './typed-schema.ts';
import { asList, asMap, formOf, itemElement } from './typed-value.ts';

type Side = JsonValue | undefined;

/**
 * Merges an applied value into a live one; both must be valid. Changes neither: the result shares parts with both, and is
 * the live value if nothing changes.
 */
export function mergeTyped(live: JsonValue, applied: JsonValue, type: MergeType): JsonValue {
  return merge(live, applied, type) ?? null;
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

function mergeMaps(lhs: Side, rhs: Side, map: MergeMap): Side {
  const [left, right] = [asMap(lhs) ?? {}, asMap(rhs) ?? {}];
  const names = new Set([...Object.keys(left), ...Object.keys(right)]);
  if (map.atomic || names.size === 0) return sameOr(lhs, rhs);
  const merged: JsonObject = {};
  let isChanged = false;
  for (const name of names) {
    const type = map.fields.get(name)?.type ?? map.element;
    if (type === undefined) continue;
    const value = merge(getOwn(left, name) as Side, getOwn(right, name) as Side, type);
    if (value !== getOwn(left, name)) isChanged = true;
    if (value !== undefined) setOwn(merged, name, value);
  }
  return isChanged ? merged : lhs;
}

const sameOr = (lhs: Side, rhs: Side): Side => (deepEqual(lhs, rhs) ? lhs : rhs);

function mergeLists(lhs: Side, rhs: Side, list: MergeList): Side {
  const [left, right] = [asList(lhs) ?? [], asList(rhs) ?? []];
  if (list.atomic || (left.length === 0 && right.length === 0)) return sameOr(lhs, rhs);
  const merged = new ListMerge(left, right, list).run();
  return merged.length === left.length && merged.every((item, i) => item === left[i]) ? lhs : merged;
}

/** Interleaves two associative lists: applied items keep their order, and other live items stay before the next common item. */
class ListMerge {
  private readonly out: JsonValue[] = [];
  private readonly left: readonly JsonValue[];
  private readonly leftElements: readonly PathElement[];
  private readonly rightElements: readonly PathElement[];
  private readonly leftItems = new Map<PathElement, Side>();
  private readonly rightItems = new Map<PathElement, Side>();
  private readonly merged = new Set<PathElement>();
  private readonly shared: readonly PathElement[];
  private nextShared = 0;
  private readonly list: MergeList;

  constructor(left: readonly JsonValue[], right: readonly JsonValue[], list: MergeList) {
    this.list = list;
    this.left = left;
    this.leftElements = left.map((item) => itemElement(list, item));
    this.rightElements = right.map((item) => itemElement(list, item));
    for (const [i, element] of this.leftElements.entries()) {
      // An applied item replaces live duplicates instead of merging with them.
      this.leftItems.set(element, this.leftItems.has(element) ? null : left[i]);
    }
    for (const [i, element] of this.rightElements.entries()) this.rightItems.set(element, right[i]);
    this.shared = this.rightElements.filter((element) => this.leftItems.has(element));
  }

  run(): JsonValue[] {
    let [l, r] = [0, 0];
    while (l < this.leftElements.length || r < this.rightElements.length) {
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
    return this.out;
  }

  private take(element: PathElement, lhs: Side, rhs: Side): void {
    if (rhs !== undefined) this.merged.add(element);
    const value = merge(lhs, rhs, this.list.element);
    if (value !== undefined) this.out.push(value);
  }
}
