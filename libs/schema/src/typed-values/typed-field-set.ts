import { getOwn, type JsonObject, type JsonValue } from '@annex/machinery';
import { FieldSet } from '../managed-fields/field-set.ts';
import { fieldElement, type PathElement } from '../managed-fields/field-set-element.ts';
import type { MergeList, MergeMap, MergeType } from './typed-schema.ts';
import { asList, asMap, formOf, itemElement } from './typed-value.ts';

/** Returns the fields of a valid value: the ones that its applier owns. */
export function toFieldSet(value: JsonValue, type: MergeType): FieldSet {
  const root = new FieldSet();
  collect(value, type, root, '');
  return root.children.get('') ?? new FieldSet();
}

function collect(value: JsonValue, type: MergeType, parent: FieldSet, element: PathElement): void {
  const form = formOf(type, value);
  if (form === 'scalar' || (type[form] as MergeList | MergeMap).atomic) {
    parent.add(element);
    return;
  }
  const below = parent.children.get(element) ?? new FieldSet();
  const list = form === 'list' ? asList(value) : undefined;
  const map = form === 'map' ? asMap(value) : undefined;
  if (list !== undefined) collectItems(list, type.list as MergeList, below);
  if (map !== undefined) collectFields(map, type.map as MergeMap, below);
  parent.put(element, below);
}

/** Items with the same keys are owned only as a whole, without the fields below them. */
function collectItems(items: readonly JsonValue[], list: MergeList, set: FieldSet): void {
  const elements = items.map((item) => itemElement(list, item));
  const seen = new Set<PathElement>();
  const duplicates = new Set<PathElement>();
  for (const element of elements) (seen.has(element) ? duplicates : seen).add(element);
  for (const [i, element] of elements.entries()) {
    if (!duplicates.has(element)) collect(items[i] as JsonValue, list.element, set, element);
    set.add(element);
  }
}

function collectFields(object: JsonObject, map: MergeMap, set: FieldSet): void {
  for (const name of Object.keys(object)) {
    const field = map.fields.get(name);
    const type = field?.type ?? map.element;
    if (type === undefined) continue;
    const value = getOwn(object, name) as JsonValue;
    const element = field?.id ?? fieldElement(name);
    collect(value, type, set, element);
    if (field === undefined || value === null || isEmptyMap(value)) set.add(element);
  }
}

const isEmptyMap = (value: JsonValue): boolean =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length === 0;

/**
 * Returns every field below a value, including those between it and the leaves: the ones that a manager owns after adding or
 * removing it.
 */
export function allFields(value: JsonValue, type: MergeType): FieldSet {
  const set = new FieldSet();
  const form = formOf(type, value);
  if (form === 'list' && type.list?.atomic === false) addItems(asList(value) ?? [], type.list, set);
  if (form === 'map' && type.map?.atomic === false) addFields(asMap(value) ?? {}, type.map, set);
  return set;
}

function addFields(object: JsonObject, map: MergeMap, set: FieldSet): void {
  for (const name of Object.keys(object)) {
    const field = map.fields.get(name);
    const type = field?.type ?? map.element;
    if (type !== undefined) addField(field?.id ?? fieldElement(name), object[name] as JsonValue, type, set);
  }
}

function addItems(items: readonly JsonValue[], list: MergeList, set: FieldSet): void {
  const groups = Map.groupBy(items, (item) => itemElement(list, item));
  for (const [element, group] of groups) {
    if (group.length === 1) addField(element, group[0] as JsonValue, list.element, set);
    else set.add(element);
  }
}

function addField(element: PathElement, value: JsonValue, type: MergeType, set: FieldSet): void {
  set.add(element);
  if (typeof value !== 'object' || value === null) return;
  set.put(element, allFields(value, type));
}
