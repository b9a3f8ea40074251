import { DividedVisit, finish, getOwn, isManyParts, isObject, type Passes, setOwn } from '@annex/machinery';
import { FieldSet } from './field-set.ts';
import { parseElement, type PathElement, sortElements } from './field-set-element.ts';

type FieldsV1 = Record<string, unknown>;

const decoded = new WeakMap<object, FieldSet>();
const encoded = new WeakMap<FieldSet, FieldsV1>();

/** Parses a FieldsV1 and caches the result; omits elements of unknown kinds. Throws `SyntaxError`. */
export function fieldSetFromJson(fields: FieldsV1): FieldSet {
  let set = decoded.get(fields);
  if (set === undefined) {
    set = readChildren(fields).set;
    decoded.set(fields, set);
  }
  return set;
}

function readChildren(fields: unknown): { set: FieldSet; isMember: boolean } {
  const set = new FieldSet();
  let isMember = false;
  if (!isObject(fields)) throw new SyntaxError('expected an object of fields');
  for (const key of Object.keys(fields)) {
    if (key === '.') {
      isMember = true;
      continue;
    }
    const element = parseElement(key);
    if (element === undefined) continue;
    const child = readChildren(getOwn(fields, key));
    if (child.isMember) set.add(element);
    set.put(element, child.set);
  }
  return { set, isMember: isMember || set.isEmpty };
}

/** Returns a FieldsV1 in canonical order. The result is shared and must not be changed. */
export const fieldSetToJson = (set: FieldSet): FieldsV1 => finish(fieldSetToJsonInPasses(set));

/** The same, in passes if the set is large. */
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
    const elements = sortElements(elementsOf(set));
    if (isManyParts(elements.length)) yield;
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
  const elements = new Set(members);
  for (const element of children.keys()) elements.add(element);
  return elements;
}
