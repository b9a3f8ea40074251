import { isObject, type JsonObject, type JsonValue, setOwn, tableOf } from '@annex/machinery';

/** Removes from a value, in place, what Go leaves out when it writes it, and sets what it cannot leave out. */
export type ZeroRemoval = (value: JsonValue) => void;

const isEmptyList = (value: JsonValue): boolean => Array.isArray(value) && value.length === 0;
const isEmptyMap = (value: JsonValue): boolean => isObject(value) && Object.keys(value).length === 0;

/** What is left out, by type. */
const zeros = tableOf<(value: JsonValue) => boolean>({
  string: (value) => value === '',
  array: isEmptyList,
  object: isEmptyMap,
});

/**
 * Compiles what `omitempty` means for the fields of a structural schema: empty texts, lists and maps of optional fields are left out.
 * Fields that are required, that may be null, which are pointers in Go, or that have a default are always written; so are structs, and
 * numbers and flags, which the conventions of the Kubernetes API make pointers where they are optional. `undefined` where nothing is
 * ever left out.
 */
export function compileZeroRemoval(schema: JsonObject): ZeroRemoval | undefined {
  if (isObject(schema.properties)) return structRemoval(schema, schema.properties);
  const inner = [schema.items, schema.additionalProperties].find(isObject);
  return inner && itemRemoval(inner);
}

/** What null is among the items of a list and the values of a map, which Go leaves as they begin. */
const beginnings = tableOf<JsonValue>({ string: '', integer: 0, number: 0, boolean: false });

function itemRemoval(schema: JsonObject): ZeroRemoval | undefined {
  const removal = compileZeroRemoval(schema);
  const beginning = schema.nullable === true ? undefined : beginnings.get(String(schema.type));
  if (removal === undefined && beginning === undefined) return undefined;
  return (value) => {
    if (typeof value !== 'object' || value === null) return;
    const items = value as JsonObject;
    for (const key of Object.keys(items)) {
      const item = items[key] as JsonValue;
      if (item !== null) removal?.(item);
      else if (beginning !== undefined) setOwn(items, key, beginning);
    }
  };
}

interface Field {
  name: string;
  isZero: ((value: JsonValue) => boolean) | undefined;
  removal: ZeroRemoval | undefined;
}

function structRemoval({ required }: JsonObject, properties: JsonObject): ZeroRemoval | undefined {
  const always: readonly JsonValue[] = Array.isArray(required) ? required : [];
  const fields = Object.entries(properties).flatMap(([name, schema]): Field[] => {
    if (!isObject(schema)) return [];
    const isZero = always.includes(name) ? undefined : zeroOf(schema);
    const removal = compileZeroRemoval(schema);
    return isZero || removal ? [{ name, isZero, removal }] : [];
  });
  if (fields.length === 0) return undefined;
  return (value) => {
    if (!isObject(value)) return;
    for (const { name, isZero, removal } of fields) {
      if (!Object.hasOwn(value, name)) continue;
      const field = value[name] as JsonValue;
      if (isZero?.(field)) delete value[name];
      else removal?.(field);
    }
  };
}

function zeroOf(schema: JsonObject): Field['isZero'] {
  const { type, properties, nullable, default: fallback } = schema;
  const isPointer = nullable === true || fallback !== undefined;
  const isRaw = schema['x-kubernetes-preserve-unknown-fields'] === true;
  return isPointer || isRaw || isObject(properties) ? undefined : zeros.get(String(type));
}
