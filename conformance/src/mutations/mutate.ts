import { isObject, type JsonObject, type JsonValue, setOwn } from '@annex/machinery';

/** A copy of an object with one changed field. */
export interface Mutation {
  /** The field and its value, for reports. */
  title: string;
  object: JsonObject;
}

type Path = readonly (string | number)[];

/** Yields a mutation for each field of an object and each value that its type suggests. */
export function* mutationsOf(object: JsonObject): Generator<Mutation> {
  for (const [path, value] of fieldsOf(object, [])) {
    yield { title: `${path.join('.')} removed`, object: withField(object, path, undefined) as JsonObject };
    for (const other of othersOf(value)) {
      const shown = JSON.stringify(other);
      yield {
        title: `${path.join('.')} = ${shown.length > 60 ? `${shown.slice(0, 60)}…` : shown}`,
        object: withField(object, path, other) as JsonObject,
      };
    }
  }
}

function* fieldsOf(value: JsonValue, path: Path): Generator<[Path, JsonValue]> {
  if (path.length > 0) yield [path, value];
  if (Array.isArray(value))
    for (const [index, item] of value.entries()) yield* fieldsOf(item, [...path, index]);
  else if (isObject(value))
    for (const [name, field] of Object.entries(value)) yield* fieldsOf(field, [...path, name]);
}

/** Returns values that are unusual or invalid instead of this one. */
function othersOf(value: JsonValue): JsonValue[] {
  if (typeof value === 'boolean') return [!value, 'x'];
  if (typeof value === 'number') return [0, -1, 99_999, 2 ** 31, 2 ** 33, 'x', 1.5];
  if (typeof value === 'string')
    return ['', 'A b!', '-x', 'a'.repeat(70), 'a'.repeat(300), 1, 'a/b', '../x', 'é', 'other'];
  if (Array.isArray(value)) return [[], [...value, ...value], {}, null, [null]];
  return isObject(value) ? [{}, null, [], { ...value, zzz: 1 }] : [];
}

/** Returns a copy with another value at a path, or without one if the value is undefined. */
function withField(value: JsonValue, [name, ...rest]: Path, other: JsonValue | undefined): JsonValue {
  if (name === undefined) return other ?? null;
  const copy = (Array.isArray(value) ? [...value] : { ...(value as JsonObject) }) as JsonObject;
  if (rest.length > 0) setOwn(copy, String(name), withField(copy[name] as JsonValue, rest, other));
  else if (other !== undefined) setOwn(copy, String(name), other);
  else if (Array.isArray(copy)) copy.splice(Number(name), 1);
  else delete copy[name];
  return copy;
}
