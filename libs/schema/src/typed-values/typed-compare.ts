import {
  deepEqual,
  deepEqualInPasses,
  DividedVisit,
  finish,
  getOwn,
  isKnownWide,
  isManyParts,
  type JsonObject,
  type JsonValue,
  type Passes,
} from '@annex/machinery';
import { FieldSet } from '../managed-fields/field-set.ts';
import { fieldElement, type PathElement } from '../managed-fields/field-set-element.ts';
import type { MergeList, MergeMap, MergeType } from './typed-schema.ts';
import { AllFields } from './typed-all-fields.ts';
import { asList, asMap, formOf, itemElement, unionOfNames, unionOfNamesInPasses } from './typed-value.ts';

/** The difference between two values. */
export interface Comparison {
  removed: FieldSet;
  modified: FieldSet;
  added: FieldSet;
}

type Side = JsonValue | undefined;

/** Compares two valid values of a type. */
export const compareTyped = (old: JsonValue, updated: JsonValue, type: MergeType): Comparison =>
  finish(compareTypedInPasses(old, updated, type));

/** The same, in passes if the values are large. */
export function* compareTypedInPasses(
  old: JsonValue,
  updated: JsonValue,
  type: MergeType,
): Passes<Comparison> {
  const walk = new Comparing();
  walk.visit(old, updated, type);
  if (!walk.visits.isDone) yield* walk.visits.rest();
  return walk.result;
}

class Comparing {
  readonly result: Comparison = { removed: new FieldSet(), modified: new FieldSet(), added: new FieldSet() };
  readonly visits = new DividedVisit();
  private path: PathElement[] = [];

  visit(lhs: Side, rhs: Side, type: MergeType): void {
    if (this.visits.exceeds()) this.postpone(this.visitLater(lhs, rhs, type));
    else if (lhs === undefined) this.graft(this.result.added, rhs as JsonValue, type);
    else if (rhs === undefined) this.graft(this.result.removed, lhs, type);
    else {
      const [left, right] = [formOf(type, lhs), formOf(type, rhs)];
      if (left !== right) this.visitForm(lhs, rhs, type, left);
      this.visitForm(lhs, rhs, type, right);
    }
  }

  private postpone(work: Passes<void>): void {
    this.visits.postpone(this.resume([...this.path], work));
  }

  private *resume(path: PathElement[], work: Passes<void>): Passes<void> {
    this.path = path;
    yield* work;
  }

  private *visitLater(lhs: Side, rhs: Side, type: MergeType): Passes<void> {
    this.visit(lhs, rhs, type);
  }

  private graft(set: FieldSet, value: JsonValue, type: MergeType): void {
    const below = new AllFields(value, type);
    if (below.visits.isDone) set.graft(this.path, below.result);
    else this.postpone(this.graftLater(set, below));
  }

  private *graftLater(set: FieldSet, below: AllFields): Passes<void> {
    yield* below.visits.rest();
    set.graft(this.path, below.result);
  }

  private visitForm(lhs: JsonValue, rhs: JsonValue, type: MergeType, form: 'map' | 'scalar' | 'list'): void {
    if (form === 'scalar') {
      this.visitLeaf(lhs, rhs);
    } else if (form === 'list') {
      const list = type.list as MergeList;
      const [left, right] = [asList(lhs) ?? [], asList(rhs) ?? []];
      // Two empty lists are compared as leaves, which distinguishes empty from null.
      if (list.atomic || (left.length === 0 && right.length === 0)) this.visitLeaf(lhs, rhs);
      // Most writes change few lists: comparing equal ones costs less than the elements of their items.
      else if (deepEqual(left, right)) return;
      else if (isManyParts(left.length + right.length)) this.postpone(this.visitManyItems(left, right, list));
      else this.visitItems(left, right, list);
    } else {
      const map = type.map as MergeMap;
      const [left, right] = [asMap(lhs) ?? {}, asMap(rhs) ?? {}];
      if (isKnownWide(left) || isKnownWide(right)) return this.postpone(this.visitWide(lhs, rhs, map));
      const names = unionOfNames(left, right);
      if (map.atomic || names.length === 0) this.visitLeaf(lhs, rhs);
      else if (isManyParts(names.length)) this.postpone(this.visitManyFields(left, right, names, map));
      else for (const name of names) this.visitField(left, right, name, map);
    }
  }

  private visitLeaf(lhs: JsonValue, rhs: JsonValue): void {
    if (!deepEqual(lhs, rhs)) this.result.modified.insert(this.path);
  }

  /** Compares maps whose names are listed in passes of their own. */
  private *visitWide(lhs: JsonValue, rhs: JsonValue, map: MergeMap): Passes<void> {
    const [left, right] = [asMap(lhs) ?? {}, asMap(rhs) ?? {}];
    const names = map.atomic ? [] : yield* unionOfNamesInPasses(left, right);
    if (names.length > 0) yield* this.visitManyFields(left, right, names, map);
    else if (!(yield* deepEqualInPasses(lhs, rhs))) this.result.modified.insert(this.path);
  }

  private *visitManyFields(
    left: JsonObject,
    right: JsonObject,
    names: string[],
    map: MergeMap,
  ): Passes<void> {
    yield* this.visits.each(names, (name) => this.visitField(left, right, name, map));
  }

  private visitField(left: JsonObject, right: JsonObject, name: string, map: MergeMap): void {
    const lhs = getOwn(left, name) as Side;
    const rhs = getOwn(right, name) as Side;
    if (lhs === rhs) return;
    const field = map.fields.get(name);
    const type = field?.type ?? map.element;
    if (type === undefined) return;
    this.path.push(field?.id ?? fieldElement(name));
    this.visit(lhs, rhs, type);
    this.path.pop();
  }

  private visitItems(left: readonly JsonValue[], right: readonly JsonValue[], list: MergeList): void {
    const groups: Groups = new Map();
    for (const item of left) groupOf(groups, list, item)[0].push(item);
    for (const item of right) groupOf(groups, list, item)[1].push(item);
    for (const group of groups) this.visitGroup(group, list);
  }

  private *visitManyItems(
    left: readonly JsonValue[],
    right: readonly JsonValue[],
    list: MergeList,
  ): Passes<void> {
    const groups: Groups = new Map();
    yield* this.visits.each(left, (item) => void groupOf(groups, list, item)[0].push(item));
    yield* this.visits.each(right, (item) => void groupOf(groups, list, item)[1].push(item));
    yield* this.visits.each(groups, (group) => this.visitGroup(group, list));
  }

  private visitGroup([element, [lhs, rhs]]: Group, list: MergeList): void {
    this.path.push(element);
    this.visitItem(lhs, rhs, list.element);
    this.path.pop();
  }

  /** Compares the items with the same keys as one leaf. */
  private visitItem(lhs: readonly JsonValue[], rhs: readonly JsonValue[], type: MergeType): void {
    const { removed, modified, added } = this.result;
    if (lhs.length <= 1 && rhs.length <= 1) {
      this.visit(lhs[0], rhs[0], type);
    } else if (lhs.length >= 2 && rhs.length >= 2) {
      if (!deepEqual(lhs, rhs)) modified.insert(this.path);
    } else if (lhs.length >= 2) {
      if (rhs.length > 0) this.visit(undefined, rhs[0], type);
      removed.insert(this.path);
    } else {
      if (lhs.length > 0) this.visit(lhs[0], undefined, type);
      added.insert(this.path);
    }
  }
}

/** The items with the same keys: those of the old list, and those of the updated one. */
type Groups = Map<PathElement, [old: JsonValue[], updated: JsonValue[]]>;
type Group = [element: PathElement, items: [old: JsonValue[], updated: JsonValue[]]];

function groupOf(groups: Groups, list: MergeList, item: JsonValue): Group[1] {
  const element = itemElement(list, item);
  let group = groups.get(element);
  if (group === undefined) groups.set(element, (group = [[], []]));
  return group;
}
