import { getOwn, isObject, type JsonObject, type JsonValue, type KubeObject, setOwn } from '@annex/machinery';
import type { Converter, TypedObject } from './apply-ownership.ts';
import type { FieldSet } from '../managed-fields/field-set.ts';
import type { SchemaNode } from '../node.ts';
import { objectMergeType } from '../typed-values/typed-schema.ts';
import { validateTyped } from '../typed-values/typed-validate.ts';

/** How the fields of a kind are tracked at one endpoint; the same for every write. */
export interface TrackingOptions {
  schema: SchemaNode;
  /** The version of the request: `group/version`. */
  apiVersion: string;
  /** Empty or absent for the object itself. */
  subresource?: string;
  /** True for kinds whose Go types always write their non-optional fields; those belong to nobody. Default false. */
  typed?: boolean;
  /** Fields that this endpoint does not write (`status` on the main one): they are not owned through it. */
  resetFields?: FieldSet;
  /**
   * An object in another version; `undefined` for a version that does not exist. Must not change its argument. Throws StatusError
   * where the conversion fails. Without it all versions are taken to have the same fields.
   */
  convert?: (
    object: KubeObject,
    apiVersion: string,
  ) => { object: KubeObject; schema: SchemaNode } | undefined;
}

/** Views of objects as typed values of the request's version and of others. */
export interface TypedView {
  view(object: JsonObject): TypedObject;
  convert: Converter;
}

export function typedView({ schema, apiVersion, convert }: TrackingOptions): TypedView {
  const type = objectMergeType(schema);
  const known = new Map<JsonObject, Map<string, TypedObject | undefined>>();
  return {
    view: (object) => ({ object, apiVersion, type }),
    convert(from, version) {
      if (from.apiVersion === version) return from;
      if (convert === undefined) return { ...from, apiVersion: version };
      const versions = known.get(from.object) ?? new Map<string, TypedObject | undefined>();
      known.set(from.object, versions);
      if (!versions.has(version)) versions.set(version, convertTyped(from, version, convert));
      return versions.get(version);
    },
  };
}

function convertTyped(
  from: TypedObject,
  version: string,
  convert: NonNullable<TrackingOptions['convert']>,
): TypedObject | undefined {
  const converted = convert(from.object as unknown as KubeObject, version);
  if (converted === undefined) return undefined;
  const type = objectMergeType(converted.schema);
  const object = withoutManagedFields(converted.object);
  validateTyped(object, type, { allowDuplicates: false });
  return { object, apiVersion: version, type };
}

/** The object without managedFields, which shares everything else with it. */
export function withoutManagedFields(object: KubeObject): JsonObject {
  const { managedFields: _, ...metadata } = object.metadata;
  return { ...object, metadata } as unknown as JsonObject;
}

export const formatTime = (milliseconds: number): string =>
  new Date(milliseconds).toISOString().replace(/\.\d+Z$/, 'Z');

const empties = new WeakMap<SchemaNode, JsonObject>();

/**
 * The object that a create is compared with. Of custom resources it has a type only; of built-in kinds it also has the fields that
 * their Go types always write, which is why their creator does not own these.
 */
export function emptyObject(
  schema: SchemaNode,
  { apiVersion, kind }: { apiVersion?: unknown; kind?: unknown },
  typed: boolean,
): KubeObject {
  const type = {
    ...(apiVersion === undefined ? {} : { apiVersion }),
    ...(kind === undefined ? {} : { kind }),
  };
  if (!typed) return { ...type, metadata: {} } as KubeObject;
  let empty = empties.get(schema);
  if (empty === undefined) {
    empty = structToWrite(schema);
    empties.set(schema, empty);
  }
  return { ...empty, ...type, metadata: {} } as unknown as KubeObject;
}

/** The fields that Go writes of a struct that nobody has filled in. */
export function structToWrite(node: SchemaNode): JsonObject {
  const empty: JsonObject = {};
  for (const [name, property] of node.properties ?? []) {
    // OpenAPI gives structs that are no pointers the default {}.
    if (isObject(property.default) && Object.keys(property.default).length === 0)
      setOwn(empty, name, structToWrite(property));
    else if (node.required?.includes(name) === true)
      setOwn(empty, name, emptyValues[property.type ?? 'object']);
  }
  return empty;
}

const emptyValues: Record<NonNullable<SchemaNode['type']>, JsonValue> = {
  object: null,
  array: null,
  string: '',
  integer: 0,
  number: 0,
  boolean: false,
};

/** A string field of an object's metadata, for messages. */
export const metaText = (object: JsonObject, field: string): string => {
  const metadata = getOwn(object, 'metadata');
  const value = isObject(metadata) ? getOwn(metadata, field) : undefined;
  return typeof value === 'string' ? value : '';
};
