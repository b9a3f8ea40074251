import { deepEqual, getOwn, type JsonObject, type JsonValue } from '@annex/machinery';
import { FieldSet } from '../managed-fields/field-set.ts';
import { fieldElement, type PathElement } from '../managed-fields/field-set-element.ts';
import type { MergeList, MergeMap, MergeType } from './typed-schema.ts';
import { allFields } from './typed-field-set.ts';
import { asList, asMap, formOf, itemElement } from './typed-value.ts';

/** The difference between two values. */
export interface Comparison {
  removed: FieldSet;
  modified: FieldSet;
  added: FieldSet;
}

type Side = JsonValue | undefined;

/** Compares two valid values of a type. */
export function compareTyped(old: JsonValue, updated: JsonValue, type: MergeType): Comparison {
  const walk = new Comparing();
  walk.visit(old, updated, type);
  return walk.result;
}

class Comparing {
  readonly result: Comparison = { removed: new FieldSet(), modified: new FieldSet(), added: new FieldSet() };
  private readonly path: PathElement[] = [];

  visit(lhs: Side, rhs: Side, type: MergeType): void {
    if (lhs === undefined) this.result.added.graft(this.path, allFields(rhs as JsonValue, type));
    else if (rhs === undefined) this.result.removed.graft(this.path, allFields(lhs, type));
    else {
      const [left, right] = [formOf(type, lhs), formOf(type, rhs)];
      if (left !== right) this.visitForm(lhs, rhs, type, left);
      this.visitForm(lhs, rhs, type, right);
    }
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
      else if (!deepEqual(left, right)) this.visitItems(left, right, list);
    } else {
      const map = type.map as MergeMap;
      const [left, right] = [asMap(lhs) ?? {}, asMap(rhs) ?? {}];
      const names = unionOfNames(left, right);
      if (map.atomic || names.length === 0) this.visitLeaf(lhs, rhs);
      else this.visitFields(left, right, names, map);
    }
  }

  private visitLeaf(lhs: JsonValue, rhs: JsonValue): void {
    if (!deepEqual(lhs, rhs)) this.result.modified.insert(this.path);
  }

  private visitFields(left: JsonObject, right: JsonObject, names: readonly string[], map: MergeMap): void {
    for (const name of names) {
      const lhs = getOwn(left, name) as Side;
      const rhs = getOwn(right, name) as Side;
      if (lhs === rhs) continue;
      const field = map.fields.get(name);
      const type = field?.type ?? map.element;
      if (type === undefined) continue;
      this.path.push(field?.id ?? fieldElement(name));
      this.visit(lhs, rhs, type);
      this.path.pop();
    }
  }

  private visitItems(left: readonly JsonValue[], right: readonly JsonValue[], list: MergeList): void {
    const [before, after] = [groupItems(left, list), groupItems(right, list)];
    for (const element of new Set([...before.keys(), ...after.keys()])) {
      const [lhs, rhs] = [before.get(element) ?? [], after.get(element) ?? []];
      this.path.push(element);
      this.visitItem(lhs, rhs, list.element);
      this.path.pop();
    }
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

/** Returns the names of the left object, then those that only the right one has. */
function unionOfNames(left: JsonObject, right: JsonObject): string[] {
  const names = Object.keys(left);
  for (const name of Object.keys(right)) if (!Object.hasOwn(left, name)) names.push(name);
  return names;
}

function groupItems(items: readonly JsonValue[], list: MergeList): Map<PathElement, JsonValue[]> {
  const groups = new Map<PathElement, JsonValue[]>();
  for (const item of items) {
    const element = itemElement(list, item);
    const group = groups.get(element);
    if (group === undefined) groups.set(element, [item]);
    else group.push(item);
  }
  return groups;
}
