import { isEmptyMap, isObject, type JsonObject, type JsonValue, setOwn, tableOf } from '@annex/machinery';

/**
 * Removes from a value, in place, the fields that Go omits when it encodes them, and sets those that it
 * cannot omit.
 */
export type ZeroRemoval = (value: JsonValue) => void;

const isEmptyList = (value: JsonValue): boolean => Array.isArray(value) && value.length === 0;

/** The omitted values, by type. */
const zeros = tableOf<(value: JsonValue) => boolean>({
  string: (value) => value === '',
  array: isEmptyList,
  object: isEmptyMap,
});

/**
 * Compiles the meaning of `omitempty` for the fields of a structural schema: empty strings, lists and maps of
 * optional fields are omitted. Fields that are required, nullable (pointers in Go) or have a default are
 * always encoded. So are structs, numbers and booleans, which are pointers by the Kubernetes API conventions
 * if they are optional. Returns `undefined` if nothing is ever omitted.
 */
export function compileZeroRemoval(schema: JsonObject): ZeroRemoval | undefined {
  if (isObject(schema.properties)) return structRemoval(schema, schema.properties);
  const inner = [schema.items, schema.additionalProperties].find(isObject);
  return inner && itemRemoval(inner);
}

/** The zero values that null items of a list and null values of a map become in Go. */
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
