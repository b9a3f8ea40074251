import { getOwn, type JsonObject, type JsonValue, setOwn } from '@annex/machinery';
import { FieldSet } from '../managed-fields/field-set.ts';
import { fieldElement } from '../managed-fields/field-set-element.ts';
import type { MergeList, MergeMap, MergeType } from './typed-schema.ts';
import { formOf, itemElement } from './typed-value.ts';

/** Removes the fields and items of a set from a value; maps and lists that become empty are null. */
export function removeItems(value: JsonValue, set: FieldSet, type: MergeType): JsonValue {
  const form = formOf(type, value);
  if (form === 'scalar') return value;
  if (form === 'list')
    return Array.isArray(value) ? removeFromList(value, set, type.list as MergeList) : null;
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? removeFromMap(value, set, type.map as MergeMap)
    : null;
}

function removeFromList(items: readonly JsonValue[], set: FieldSet, list: MergeList): JsonValue {
  if (list.atomic) return null;
  const kept: JsonValue[] = [];
  for (const item of items) {
    const element = itemElement(list, item);
    if (set.members.has(element)) continue;
    const below = set.children.get(element);
    kept.push(below === undefined || below.isEmpty ? item : removeItems(item, below, list.element));
  }
  return kept.length > 0 ? kept : null;
}

function removeFromMap(object: JsonObject, set: FieldSet, map: MergeMap): JsonValue {
  if (map.atomic) return null;
  const kept: JsonObject = {};
  let isEmpty = true;
  for (const name of Object.keys(object)) {
    const field = map.fields.get(name);
    const element = field?.id ?? fieldElement(name);
    if (set.members.has(element)) continue;
    const value = getOwn(object, name) as JsonValue;
    const below = set.children.get(element);
    const type = field?.type ?? map.element;
    setOwn(
      kept,
      name,
      below === undefined || below.isEmpty || type === undefined ? value : removeItems(value, below, type),
    );
    isEmpty = false;
  }
  return isEmpty ? null : kept;
}

/** Adds every schema field with members below it as a member, so that removal includes empty parents. */
export function withNamedParents(set: FieldSet, type: MergeType | undefined): FieldSet {
  const result = new FieldSet();
  for (const element of set.members) result.add(element);
  for (const [element, child] of set.children) {
    const isField = element.startsWith('f:');
    const field = isField ? type?.map?.fields.get(element.slice(2)) : undefined;
    if (field !== undefined) result.add(element);
    const below = isField
      ? (field?.type ?? type?.map?.element)
      : element.startsWith('k:')
        ? type?.list?.element
        : undefined;
    result.put(element, withNamedParents(child, below));
  }
  return result;
}
