import {
  countParts,
  DividedVisit,
  finish,
  getOwn,
  hasManyVisits,
  isManyParts,
  isObject,
  namesInPasses,
  noteNames,
  type Passes,
  requireFewMembers,
  setOwn,
} from '@annex/machinery';
import { FieldSet } from './field-set.ts';
import { parseElement, type PathElement, sortElements, sortElementsInPasses } from './field-set-element.ts';

/** The fields of an entry of managedFields. They are shared between copies of an object and must not be changed. */
export type FieldsV1 = Record<string, unknown>;

const decoded = new WeakMap<object, FieldSet>();
const encoded = new WeakMap<FieldSet, FieldsV1>();

/** Parses a FieldsV1 and caches the result; omits elements of unknown kinds. Throws `SyntaxError`. */
export const fieldSetFromJson = (fields: FieldsV1): FieldSet => finish(fieldSetFromJsonInPasses(fields));

/** The same, in passes if there are many fields. */
export function* fieldSetFromJsonInPasses(fields: FieldsV1): Passes<FieldSet> {
  let set = decoded.get(fields);
  if (set === undefined) {
    const { set: read } = hasManyVisits(fields)
      ? yield* new Reading().children(fields)
      : readChildren(fields);
    decoded.set(fields, (set = read));
  }
  return set;
}

/** Makes the set of some fields that of others with the same members. */
export function knowAs(copy: FieldsV1, fields: FieldsV1): void {
  const set = decoded.get(fields);
  if (set !== undefined) decoded.set(copy, set);
}

/** The set of a level, and whether the level itself is a member of its parent. */
interface Level {
  set: FieldSet;
  isMember: boolean;
}

function readChildren(fields: unknown): Level {
  const level = newLevel(fields);
  for (const key of Object.keys(fields as FieldsV1)) {
    const element = elementOf(key);
    if (element !== undefined) addChild(level.set, element, readChildren(getOwn(fields as FieldsV1, key)));
  }
  level.isMember ||= level.set.isEmpty;
  return level;
}

function newLevel(fields: unknown): Level {
  if (!isObject(fields)) throw new SyntaxError('expected an object of fields');
  return { set: new FieldSet(), isMember: Object.hasOwn(fields, '.') };
}

const elementOf = (key: string): PathElement | undefined => (key === '.' ? undefined : parseElement(key));

function addChild(set: FieldSet, element: PathElement, child: Level): void {
  if (child.isMember) set.add(element);
  set.put(element, child.set);
}

/** Reads levels with many fields below them. */
class Reading {
  readonly #visits = new DividedVisit();

  *children(fields: unknown): Passes<Level> {
    const level = newLevel(fields);
    for (const key of yield* namesInPasses(fields as FieldsV1)) {
      if (this.#visits.exceeds()) yield* this.#visits.next();
      const element = elementOf(key);
      const below = getOwn(fields as FieldsV1, key);
      if (element === undefined) continue;
      addChild(
        level.set,
        element,
        countParts(below, 0) === 0 ? readChildren(below) : yield* this.children(below),
      );
    }
    level.isMember ||= level.set.isEmpty;
    return level;
  }
}

/** Returns a FieldsV1 in canonical order. The result is shared and must not be changed. */
export const fieldSetToJson = (set: FieldSet): FieldsV1 => finish(fieldSetToJsonInPasses(set));

/** The same, in passes if the set is large. Throws 413 for a level with too many fields, such as a set of too many items. */
export function* fieldSetToJsonInPasses(set: FieldSet): Passes<FieldsV1> {
  const known = encoded.get(set);
  if (known !== undefined) return known;
  const fields: FieldsV1 = {};
  const writing = new Writing();
  writing.write(fields, set, false);
  if (!writing.visits.isDone) yield* writing.visits.rest();
  encoded.set(set, fields);
  decoded.set(fields, set);
  return fields;
}

class Writing {
  readonly visits = new DividedVisit();

  write(fields: FieldsV1, set: FieldSet, isMember: boolean): void {
    if (isMember) fields['.'] = {};
    if (this.visits.exceeds() || isManyParts(set.members.size + set.children.size)) {
      this.visits.postpone(this.writeMany(fields, set));
    } else {
      for (const element of sortElements(elementsOf(set))) this.writeElement(fields, element, set);
    }
  }

  private *writeMany(fields: FieldsV1, set: FieldSet): Passes<void> {
    // To sort too many would take long.
    requireFewMembers(Math.max(set.members.size, set.children.size));
    const elements = yield* sortElementsInPasses(elementsOf(set));
    requireFewMembers(elements.length);
    if (isManyParts(elements.length)) yield;
    noteNames(fields, elements);
    yield* this.visits.each(elements, (element) => this.writeElement(fields, element, set));
  }

  private writeElement(fields: FieldsV1, element: PathElement, { members, children }: FieldSet): void {
    const below: FieldsV1 = {};
    setOwn(fields, element, below);
    const child = children.get(element);
    if (child !== undefined) this.write(below, child, members.has(element));
  }
}

function elementsOf({ members, children }: FieldSet): Iterable<PathElement> {
  if (children.size === 0) return members;
  if (members.size === 0) return children.keys();
  const elements = [...members];
  for (const element of children.keys()) if (!members.has(element)) elements.push(element);
  return elements;
}
