import { getOwn, isObject, setOwn } from '@annex/machinery';
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
export function fieldSetToJson(set: FieldSet): FieldsV1 {
  let fields = encoded.get(set);
  if (fields === undefined) {
    fields = writeChildren(set, false);
    encoded.set(set, fields);
    decoded.set(fields, set);
  }
  return fields;
}

function writeChildren(set: FieldSet, isMember: boolean): FieldsV1 {
  const fields: FieldsV1 = {};
  if (isMember) fields['.'] = {};
  const { members, children } = set;
  for (const element of sortElements(elementsOf(set))) {
    const child = children.get(element);
    setOwn(fields, element, child === undefined ? {} : writeChildren(child, members.has(element)));
  }
  return fields;
}

function elementsOf({ members, children }: FieldSet): Iterable<PathElement> {
  if (children.size === 0) return members;
  if (members.size === 0) return children.keys();
  const elements = new Set(members);
  for (const element of children.keys()) elements.add(element);
  return elements;
}
