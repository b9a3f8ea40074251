import type { JsonValue } from '@annex/machinery';
import { fail } from '../errors.ts';
import type { Library } from '../functions/library.ts';
import { overload } from '../typing/declare.ts';
import type { TypeProvider } from '../typing/declarations.ts';
import { type CelType, structType, types } from '../typing/type.ts';
import { elements, isList, isMap, mapFind, mapKeys } from '../values/container.ts';
import { equals } from '../values/equality.ts';
import { toJson } from '../values/json.ts';
import { StructValue, type Value } from '../values/value.ts';
import { convertedArgument, costing } from './call-costs.ts';

const { dyn, string } = types;

/** The type of apply configurations: `Object{spec: Object.spec{...}}`. */
export const configurationType = structType('Object');
/** The type of JSON patch operations. */
export const jsonPatchType = structType('JSONPatch');

const patchFields: Readonly<Record<string, CelType>> = { op: string, path: string, from: string, value: dyn };

/** An object that a mutation constructs; its type is known only by name. */
export class MutationObject extends StructValue {
  override readonly type: CelType;
  readonly fields: ReadonlyMap<string, Value>;

  constructor(type: CelType, fields: ReadonlyMap<string, Value>) {
    super();
    this.type = type;
    this.fields = fields;
  }

  has(field: string): boolean {
    return this.fields.has(field);
  }

  get(field: string): Value | undefined {
    return this.fields.get(field);
  }

  equals(other: Value): boolean {
    if (!(other instanceof MutationObject) || other.type.name !== this.type.name) return false;
    if (other.fields.size !== this.fields.size) return false;
    return [...this.fields].every(([name, value]) => {
      const theirs = other.fields.get(name);
      return theirs !== undefined && equals(value, theirs);
    });
  }
}

/** Converts an apply configuration, or a part of one, to JSON. */
export const mutationJson = (value: Value): JsonValue =>
  toJson(value, (part) => (part instanceof MutationObject ? part.fields : undefined));

/** The parts of an apply configuration: JSON, or what `leaf` returns for a null or bytes. */
export type ConfigurationParts<T> =
  | JsonValue
  | T
  | ConfigurationParts<T>[]
  | { [name: string]: ConfigurationParts<T> };

/** Converts an apply configuration as {@link mutationJson}, except for nulls and bytes. */
export function configurationParts<T>(
  value: Value,
  leaf: (value: null | Uint8Array, json: JsonValue) => T,
): ConfigurationParts<T> {
  if (value === null || value instanceof Uint8Array) return leaf(value, mutationJson(value));
  if (value instanceof MutationObject) return ofEntries([...value.fields], leaf);
  if (isList(value)) return elements(value).map((element) => configurationParts(element, leaf));
  if (!isMap(value)) return mutationJson(value);
  const keys = [...mapKeys(value)];
  if (!keys.every((key) => typeof key === 'string')) return mutationJson(value);
  return ofEntries(
    keys.map((key) => [key, mapFind(value, key) ?? null]),
    leaf,
  );
}

const ofEntries = <T>(
  entries: readonly (readonly [string, Value])[],
  leaf: (value: null | Uint8Array, json: JsonValue) => T,
): { [name: string]: ConfigurationParts<T> } =>
  Object.fromEntries(entries.map(([name, field]) => [name, configurationParts(field, leaf)]));

const isObjectType = (name: string): boolean => name === 'Object' || name.startsWith('Object.');

/** The type of unknown fields, which has no name: kube-apiserver reports values of another type, not the field. */
const untyped = structType('');

/** The types of mutations. Objects accept any field; each object type is named by its path of fields. */
export const mutationTypes: TypeProvider = {
  findType: (name) => (isObjectType(name) || name === 'JSONPatch' ? structType(name) : undefined),
  findField(name, field) {
    if (isObjectType(name)) return dyn;
    if (name !== 'JSONPatch') return undefined;
    return Object.hasOwn(patchFields, field) ? patchFields[field] : untyped;
  },
  construct: (name, fields) => new MutationObject(structType(name), fields),
};

const escapeKey = (key: string): string => key.replace(/[~/]/g, (c) => (c === '/' ? '~1' : '~0'));

/** `jsonpatch.escapeKey`. Source: KEP-3962, "Mutating Admission Policies". */
export const jsonPatchLibrary: Library = {
  name: 'kubernetes.jsonpatch',
  functions: [
    costing(
      convertedArgument,
      'jsonpatch.escapeKey',
      overload('string_jsonpatch_escapeKey_string', [string], string, escapeKey),
    ),
  ],
};

/** Fails if the type name of an object differs from its path. */
export function checkObjectNames(value: Value, path = 'Object'): void {
  const errors = [...nameErrors(value, path)];
  if (errors.length > 0) fail(errors.join('\n'));
}

function* nameErrors(value: Value, path: string): Iterable<string> {
  if (value instanceof MutationObject) {
    const { name } = value.type;
    if (name !== path) {
      yield `unexpected type name "${name}", expected "${path}", which matches field name path from root Object type`;
    }
    for (const [field, part] of value.fields) yield* nameErrors(part, `${path}.${field}`);
  } else if (isList(value)) {
    for (const part of elements(value)) yield* nameErrors(part, path);
  } else if (isMap(value)) {
    for (const key of mapKeys(value)) yield* nameErrors(mapFind(value, key) ?? null, path);
  }
}
