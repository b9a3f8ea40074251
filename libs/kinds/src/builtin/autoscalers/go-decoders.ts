import { isObject, type JsonObject, type JsonValue, Quantity, setOwn } from '@annex/machinery';
import { sortedJson } from '@annex/schema';

/** Reads a value as encoding/json decodes it into a Go type. Throws {@link Undecodable}. */
export type GoDecoder = (value: JsonValue) => JsonValue;

/** A value that Go cannot decode: kube-apiserver ignores the whole annotation. */
export class Undecodable extends Error {}

function fail(value: JsonValue): never {
  throw new Undecodable(`cannot decode ${typeof value}`);
}

export const text: GoDecoder = (value) => (typeof value === 'string' ? value : fail(value));

const maxInt32 = 2 ** 31 - 1;

export const int32: GoDecoder = (value) =>
  Number.isInteger(value) && Number(value) <= maxInt32 && Number(value) >= -maxInt32 - 1
    ? value
    : fail(value);

/** A quantity, in its canonical form. JSON can have a number. */
export const quantity: GoDecoder = (value) => {
  if (typeof value !== 'string' && typeof value !== 'number') return fail(value);
  try {
    return Quantity.parse(String(value)).toString();
  } catch {
    return fail(value);
  }
};

/** A slice; null is an empty one. */
export const list =
  (item: GoDecoder): GoDecoder =>
  (value) =>
    value === null ? [] : Array.isArray(value) ? value.map(item) : fail(value);

/** A map of strings, with its keys in the order in which Go encodes them. */
export const texts: GoDecoder = (value) => {
  if (!isObject(value)) return fail(value);
  const held = Object.entries(value).map(([name, entry]) => [name, entry === null ? '' : text(entry)]);
  return sortedJson(Object.fromEntries(held) as JsonObject);
};

/**
 * A struct, with its fields in the order of the table. Their names are found in any case; the last one counts, and null is nothing. Null is a
 * struct without fields. Unknown fields are dropped.
 */
export function struct(fields: Readonly<Record<string, GoDecoder>>): GoDecoder {
  const table = Object.entries(fields).map(([name, decode]) => ({ name, key: name.toLowerCase(), decode }));
  return (value) => {
    if (value === null) return {};
    if (!isObject(value)) return fail(value);
    const held = new Map(Object.entries(value).map(([name, field]) => [name.toLowerCase(), field]));
    const made: JsonObject = {};
    for (const { name, key, decode } of table) {
      const field = held.get(key) ?? null;
      if (field !== null) setOwn(made, name, decode(field));
    }
    return made;
  };
}
