import type { JsonObject, JsonValue } from '@annex/machinery';
import { counted, type MergeList, type MergeMap, type MergeType } from '../typed-values/typed-schema.ts';
import { formOf, itemElement, itemError } from '../typed-values/typed-value.ts';

/** Characters of the longest shape: longer ones are not cached. */
export const maxOwnedShapeLength = 4096;

/**
 * Returns a text for what decides about the owned fields of a value: names, keys of list items and the kinds of values, but not the
 * values. Values of one type with the same text are all valid or all invalid, differ in the same fields from a value that is
 * empty everywhere, and have the same owned fields. `undefined` for a longer text, and for values that are surely invalid.
 */
export function ownedShape(value: JsonValue, type: MergeType): string | undefined {
  const shape = new Shape();
  return shape.add(value, type) ? shape.text : undefined;
}

class Shape {
  text = '';

  /** Adds the shape of a value. Returns false if there is none. */
  add(value: JsonValue, type: MergeType): boolean {
    if (value === null) return this.#append('n');
    const form = formOf(type, value);
    if (form === 'scalar') return this.#append(shapeOfScalar(value));
    if (form === 'map') return isMap(value) && this.#addFields(value, type.map as MergeMap);
    return Array.isArray(value) && this.#addItems(value, type.list as MergeList);
  }

  #addFields(object: JsonObject, { fields, element }: MergeMap): boolean {
    this.#append('{');
    for (const name of Object.keys(object)) {
      const field = fields.get(name);
      const type = field?.type ?? element;
      if (type === undefined) return false;
      if (!this.#append(field?.counted ?? counted(name)) || !this.add(object[name] as JsonValue, type))
        return false;
    }
    return this.#append('}');
  }

  #addItems(items: readonly JsonValue[], list: MergeList): boolean {
    this.#append('[');
    for (const item of items) {
      if (!list.atomic) {
        if (itemError(list, item) !== undefined || !this.#append(counted(itemElement(list, item))))
          return false;
      }
      if (!this.add(item, list.element)) return false;
    }
    return this.#append(']');
  }

  #append(text: string): boolean {
    this.text += text;
    return this.text.length <= maxOwnedShapeLength;
  }
}

const isMap = (value: JsonValue): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Returns the type of a scalar, and whether it is the zero value of its type in Go. */
function shapeOfScalar(value: JsonValue): string {
  if (typeof value === 'string') return value === '' ? 'e' : 's';
  if (typeof value === 'boolean') return value ? 'b' : 'f';
  if (typeof value === 'number') return value === 0 ? 'z' : 'i';
  return typeof value === 'bigint' ? 'i' : Array.isArray(value) ? 'l' : 'm';
}
