import { deepEqual, getOwn, type JsonObject, type JsonValue } from '@annex/machinery';
import { fail } from '../errors.ts';
import { type CelType, mapType, opaqueType, types } from '../typing/type.ts';
import { isMap, mapFind, mapSize } from '../values/container.ts';
import { equals } from '../values/equality.ts';
import { double, Instance, MapValue, type Value } from '../values/value.ts';
import { escapeName, unescapeName } from './escaping.ts';
import { AtomicList, MapList, SetList } from './typed-list.ts';
import { bytesValue, dateTimeValue, dateValue, durationValue } from './text-formats.ts';
import { type TypedSchema, withTypeAndMetadata } from './typed-schema.ts';

/** Converts JSON to the value that its schema defines, without copying. Values of the wrong type fail on access. */
export type View = (json: JsonValue) => Value;

const views = new WeakMap<TypedSchema, View>();

/** Returns the view of a schema; `resourceRoot` adds the type and name of a resource. */
export function viewOf(schema: TypedSchema, resourceRoot = false): View {
  if (resourceRoot) return nullable(schema, objectView(withTypeAndMetadata(schema)));
  const known = views.get(schema);
  if (known) return known;
  const view = nullable(schema, viewOfPresent(schema));
  views.set(schema, view);
  return view;
}

function nullable(schema: TypedSchema, view: View): View {
  if (schema.nullable) return (json) => (json === null ? null : view(json));
  return (json) =>
    json === null ? fail('invalid data, got null for schema with nullable=false') : view(json);
}

function viewOfPresent(schema: TypedSchema): View {
  if (schema.intOrString) return intOrString;
  switch (schema.type) {
    case 'object':
      return objectView(schema.embeddedResource ? withTypeAndMetadata(schema) : schema);
    case 'array':
      return listView(schema);
    case 'string':
      return textView(schema.format);
    case 'number':
      return (json) => (isNumber(json) ? double(Number(json)) : failType('float', json));
    case 'integer':
      return (json) => (isInteger(json) ? json : failType('int', json));
    case 'boolean':
      return (json) => (typeof json === 'boolean' ? json : failType('bool', json));
    default:
      return (json) => new PreservedValue(json);
  }
}

const isNumber = (json: JsonValue): boolean => typeof json === 'number' || typeof json === 'bigint';
const isInteger = (json: JsonValue): json is number | bigint =>
  typeof json === 'bigint' || Number.isSafeInteger(json);

const failType = (expected: string, json: JsonValue): never =>
  fail(`invalid data, expected ${expected}, got ${goType(json)}`);

function goType(json: JsonValue): string {
  if (Array.isArray(json)) return '[]interface {}';
  if (typeof json === 'object') return 'map[string]interface {}';
  if (isNumber(json)) return isInteger(json) ? 'int64' : 'float64';
  return typeof json === 'boolean' ? 'bool' : 'string';
}

const intOrString: View = (json) =>
  typeof json === 'string' || isInteger(json)
    ? json
    : fail('invalid data, expected XIntOrString value to be either a string or integer');

const textValues: Readonly<Record<string, (text: string) => Value>> = {
  duration: durationValue,
  date: dateValue,
  'date-time': dateTimeValue,
  byte: bytesValue,
};

function textView(format = ''): View {
  const convert = Object.hasOwn(textValues, format) ? textValues[format] : undefined;
  if (!convert) return (json) => (typeof json === 'string' ? json : failType('string', json));
  return (json) => (typeof json === 'string' ? convert(json) : failType('string', json));
}

function listView({ items, listType, listMapKeys = [] }: TypedSchema): View {
  const element = items && lazily(() => viewOf(items));
  const keys = listMapKeys.map((key) => escapeName(key) ?? key);
  return (json) => {
    if (!Array.isArray(json))
      return fail('invalid data, expected an array for the provided schema with type=array');
    if (!element) return fail('invalid array type, expected Items with a non-empty Schema');
    const elements = { length: json.length, at: (index: number) => element()(json[index] ?? null) };
    if (listType === 'map') return new MapList(elements, keys);
    return listType === 'set' ? new SetList(elements) : new AtomicList(elements);
  };
}

function objectView(schema: TypedSchema): View {
  const shape = lazily(() => new Shape(schema));
  return (json) =>
    typeof json === 'object' && json !== null && !Array.isArray(json)
      ? new ObjectValue(json, shape())
      : fail('invalid data, expected a map for the provided schema with type=object');
}

function lazily<T extends object>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}

/** The views of an object's fields, or of a map's entries. */
class Shape {
  /** True for objects with fields: names are escaped to identifiers, and null counts as absent. */
  readonly hasFields: boolean;
  readonly #properties = new Map<string, View>();
  readonly #names = new Map<string, string>();
  readonly #entries: View | undefined;

  constructor({ properties, additionalProperties, embeddedResource }: TypedSchema) {
    this.hasFields = properties !== undefined || embeddedResource === true;
    for (const [name, schema] of properties ?? []) {
      this.#properties.set(name, viewOf(schema));
      this.#names.set(escapeName(name) ?? name, name);
    }
    const entries = this.hasFields || additionalProperties === true ? undefined : additionalProperties;
    this.#entries = entries && viewOf(entries);
  }

  /** Returns the view of the value for a JSON key; undefined if it has no schema. */
  view(key: string): View | undefined {
    return this.#entries ?? this.#properties.get(key);
  }

  /** Returns the JSON key for a key in an expression. */
  nameOf(key: string): string | undefined {
    return this.hasFields ? (this.#names.get(key) ?? unescapeName(key)) : key;
  }
}

const anyMap = mapType(types.dyn, types.dyn);

/** A JSON object, whose values are converted on access. */
export class ObjectValue extends MapValue {
  readonly json: JsonObject;
  readonly #shape: Shape;

  constructor(json: JsonObject, shape: Shape) {
    super();
    this.json = json;
    this.#shape = shape;
  }

  override get type(): CelType {
    return anyMap;
  }

  get size(): number {
    return Object.keys(this.json).length;
  }

  find(key: Value): Value | undefined {
    if (typeof key !== 'string') return fail('no such overload');
    const name = this.#shape.nameOf(key);
    if (name === undefined || !Object.hasOwn(this.json, name)) return undefined;
    const json = this.json[name] ?? null;
    if (json === null && this.#shape.hasFields) return undefined;
    return this.#shape.view(name)?.(json);
  }

  *keys(): Iterable<Value> {
    for (const name of Object.keys(this.json)) {
      if (!this.#shape.view(name)) continue;
      yield this.#shape.hasFields ? (escapeName(name) ?? name) : name;
    }
  }

  equals(other: Value): boolean {
    if (!isMap(other)) return fail('no such overload');
    if (this.size !== mapSize(other)) return false;
    return Object.keys(this.json).every((name) =>
      this.#shape.view(name) ? this.#sameField(name, other) : this.#sameUnknown(name, other),
    );
  }

  #sameField(name: string, other: Value): boolean {
    const key = this.#shape.hasFields ? (escapeName(name) ?? name) : name;
    const mine = this.find(key);
    const theirs = mapFind(other, other instanceof ObjectValue ? key : name);
    if (mine === undefined || theirs === undefined) return mine === theirs;
    return equals(mine, theirs);
  }

  // A field without a schema that only one object has does not affect equality, as in kube-apiserver.
  #sameUnknown(name: string, other: Value): boolean {
    if (!(other instanceof ObjectValue)) return fail('no such overload');
    return !Object.hasOwn(other.json, name) || deepEqual(getOwn(this.json, name), other.json[name]);
  }
}

const preservedType = opaqueType('unknown');

/** A value without a schema: expressions can only compare it as a part of another value. */
class PreservedValue extends Instance {
  readonly #json: JsonValue;

  constructor(json: JsonValue) {
    super();
    this.#json = json;
  }

  override get type(): CelType {
    return preservedType;
  }

  equals(other: Value): boolean {
    return other instanceof PreservedValue && deepEqual(this.#json, other.#json);
  }
}
