import {
  countParts,
  DividedVisit,
  getOwn,
  isEmptyMap,
  type JsonObject,
  type JsonValue,
  namesInPasses,
  type Passes,
  visitedAtOnce,
} from '@annex/machinery';
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

/** The same for a large value, in passes. */
export function* toFieldSetInPasses(value: JsonValue, type: MergeType): Passes<FieldSet> {
  const root = new FieldSet();
  yield* new Collecting().collect(value, type, root, '');
  return root.children.get('') ?? new FieldSet();
}

/** Collects the fields of a large value. Values with few parts are collected at once. */
class Collecting {
  readonly #visits = new DividedVisit();

  *collect(value: JsonValue, type: MergeType, parent: FieldSet, element: PathElement): Passes<void> {
    const form = formOf(type, value);
    const parts = isLeaf(type, form) ? 0 : countParts(value, visitedAtOnce);
    this.#visits.count(parts);
    if (this.#visits.exceeds()) yield* this.#visits.next();
    if (parts <= visitedAtOnce) return collect(value, type, parent, element);
    const below = parent.children.get(element) ?? new FieldSet();
    const list = form === 'list' ? asList(value) : undefined;
    const map = form === 'map' ? asMap(value) : undefined;
    if (list !== undefined) yield* this.#items(list, type.list as MergeList, below);
    if (map !== undefined) yield* this.#fields(map, type.map as MergeMap, below);
    parent.put(element, below);
  }

  *#items(items: readonly JsonValue[], list: MergeList, set: FieldSet): Passes<void> {
    const elements: PathElement[] = [];
    yield* this.#visits.each(items, (item) => void elements.push(itemElement(list, item)));
    const duplicates = repeated(elements);
    yield* this.#visits.next();
    for (const [i, element] of elements.entries()) {
      if (this.#visits.exceeds()) yield* this.#visits.next();
      const item = items[i] as JsonValue;
      if (!duplicates.has(element)) {
        if (typeof item !== 'object') collect(item, list.element, set, element);
        else yield* this.collect(item, list.element, set, element);
      }
      set.add(element);
    }
  }

  *#fields(object: JsonObject, map: MergeMap, set: FieldSet): Passes<void> {
    for (const name of yield* namesInPasses(object)) {
      if (this.#visits.exceeds()) yield* this.#visits.next();
      const field = map.fields.get(name);
      const type = field?.type ?? map.element;
      if (type === undefined) continue;
      const value = getOwn(object, name) as JsonValue;
      const element = field?.id ?? fieldElement(name);
      if (typeof value !== 'object') collect(value, type, set, element);
      else yield* this.collect(value, type, set, element);
      if (field === undefined || value === null || isEmptyMap(value)) set.add(element);
    }
  }
}

const isLeaf = (type: MergeType, form: 'map' | 'scalar' | 'list'): boolean =>
  form === 'scalar' || (type[form] as MergeList | MergeMap).atomic;

function collect(value: JsonValue, type: MergeType, parent: FieldSet, element: PathElement): void {
  const form = formOf(type, value);
  if (isLeaf(type, form)) {
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
  const duplicates = repeated(elements);
  for (const [i, element] of elements.entries()) {
    if (!duplicates.has(element)) collect(items[i] as JsonValue, list.element, set, element);
    set.add(element);
  }
}

function repeated(elements: readonly PathElement[]): ReadonlySet<PathElement> {
  const seen = new Set<PathElement>();
  const duplicates = new Set<PathElement>();
  for (const element of elements) (seen.has(element) ? duplicates : seen).add(element);
  return duplicates;
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
