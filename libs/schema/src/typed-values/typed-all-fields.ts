import {
  countMembers,
  DividedVisit,
  finish,
  isManyParts,
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

/**
 * Returns every field below a value, including those between it and the leaves: the ones that a manager owns after adding or
 * removing it.
 */
export function allFields(value: JsonValue, type: MergeType): FieldSet {
  const fields = new AllFields(value, type);
  finish(fields.visits.rest());
  return fields.result;
}

/** Every field below a value, like `allFields`: complete when the visits are done. */
export class AllFields {
  readonly result = new FieldSet();
  readonly visits = new DividedVisit();

  constructor(value: JsonValue, type: MergeType) {
    if (hasManyMembers(value)) this.visits.postpone(this.addMany(value, type, this.result));
    else this.addBelow(value, type, this.result);
  }

  private addBelow(value: JsonValue, type: MergeType, set: FieldSet): void {
    const [list, map] = [mergedList(type, value), mergedMap(type, value)];
    if (list !== undefined) {
      const groups = Map.groupBy(asList(value) ?? [], (item) => itemElement(list, item));
      for (const [element, group] of groups) this.addGroup(element, group, list, set);
    }
    if (map !== undefined) {
      const object = asMap(value) ?? {};
      for (const name of Object.keys(object)) this.addNamed(name, object, map, set);
    }
  }

  private *addMany(value: JsonValue, type: MergeType, set: FieldSet): Passes<void> {
    const [list, map] = [mergedList(type, value), mergedMap(type, value)];
    if (list !== undefined) {
      const groups = new Map<PathElement, JsonValue[]>();
      yield* this.visits.each(asList(value) ?? [], (item) => {
        const element = itemElement(list, item);
        const group = groups.get(element);
        if (group === undefined) groups.set(element, [item]);
        else group.push(item);
      });
      yield* this.visits.each(groups, ([element, group]) => this.addGroup(element, group, list, set));
    }
    if (map !== undefined) {
      const object = asMap(value) ?? {};
      yield* this.visits.each(yield* namesInPasses(object), (name) => this.addNamed(name, object, map, set));
    }
  }

  private addGroup(element: PathElement, group: readonly JsonValue[], list: MergeList, set: FieldSet): void {
    if (group.length === 1) this.addField(element, group[0] as JsonValue, list.element, set);
    else set.add(element);
  }

  private addNamed(name: string, object: JsonObject, map: MergeMap, set: FieldSet): void {
    const field = map.fields.get(name);
    const type = field?.type ?? map.element;
    if (type === undefined) return;
    // permitted: no-inherited-keys, the name is one of its own
    this.addField(field?.id ?? fieldElement(name), object[name] as JsonValue, type, set);
  }

  private addField(element: PathElement, value: JsonValue, type: MergeType, set: FieldSet): void {
    set.add(element);
    if (typeof value !== 'object' || value === null) return;
    if (this.visits.exceeds() || hasManyMembers(value)) {
      return this.visits.postpone(this.addLater(element, value, type, set));
    }
    const below = new FieldSet();
    this.addBelow(value, type, below);
    set.put(element, below);
  }

  /** Members of a level are added before the levels below them, so that the level is not empty then. */
  private *addLater(element: PathElement, value: JsonValue, type: MergeType, set: FieldSet): Passes<void> {
    const below = new FieldSet();
    yield* this.addMany(value, type, below);
    set.put(element, below);
  }
}

/** Returns how the items of a list merge; `undefined` if the value is none, or one leaf. */
const mergedList = (type: MergeType, value: JsonValue): MergeList | undefined =>
  formOf(type, value) === 'list' && type.list?.atomic === false ? type.list : undefined;

/** The same for the fields of a map. */
const mergedMap = (type: MergeType, value: JsonValue): MergeMap | undefined =>
  formOf(type, value) === 'map' && type.map?.atomic === false ? type.map : undefined;

const hasManyMembers = (value: JsonValue): boolean =>
  typeof value === 'object' && value !== null && isWide(value);

const isWide = (value: JsonObject | JsonValue[]): boolean =>
  isManyParts(Array.isArray(value) ? value.length : countMembers(value, visitedAtOnce));
