import { getOwn, isObject, type JsonObject, type JsonValue, type KubeObject, setOwn } from '@annex/machinery';
import type { VersionConverter } from './apply-conversion.ts';
import type { Converter, TypedObject } from './apply-ownership.ts';
import type { FieldSet } from '../managed-fields/field-set.ts';
import type { SchemaNode } from '../node.ts';
import { objectMergeType } from '../typed-values/typed-schema.ts';
import { validateTyped } from '../typed-values/typed-validate.ts';

/** How field ownership is tracked at one endpoint of a kind; the same for every write. */
export interface TrackingOptions {
  schema: SchemaNode;
  /** The version of the request: `group/version`. */
  apiVersion: string;
  /** Empty or absent for the main resource. */
  subresource?: string;
  /** True for kinds whose Go types always serialize their non-optional fields; no manager owns those. Default false. */
  typed?: boolean;
  /** The fields that Go serializes for a zero-valued object of such a kind; by default, those that the schema requires. */
  empty?: JsonObject | undefined;
  /** Fields that this endpoint does not write (`status` on the main one), so that managers do not own them through it. */
  resetFields?: FieldSet;
  /** The versions (`group/version`) whose managers keep such fields, whatever the request contains; by default, all. */
  resetVersions?: ReadonlySet<string> | undefined;
  /** Without it, all versions have the same fields. */
  convert?: VersionConverter;
  /** True for an object of so many parts that all passes over it are divided. Default false. */
  large?: boolean;
}

/** Typed views of objects in the version of the request and in other versions. */
export interface TypedView {
  view(object: JsonObject): TypedObject;
  convert: Converter;
}

/** Returns the typed views of objects at an endpoint; conversions are cached by object and version. */
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
  convert: VersionConverter,
): TypedObject | undefined {
  const converted = convert(from.object as unknown as KubeObject, version);
  if (converted === undefined) return undefined;
  const type = objectMergeType(converted.schema);
  const object = withoutManagedFields(converted.object);
  validateTyped(object, type, { allowDuplicates: false });
  return { object, apiVersion: version, type };
}

/** Returns a shallow copy without managedFields. */
export function withoutManagedFields(object: KubeObject): JsonObject {
  const { managedFields: _, ...metadata } = object.metadata;
  return { ...object, metadata } as unknown as JsonObject;
}

const empties = new WeakMap<SchemaNode, JsonObject>();

/**
 * Returns the object with which a create is compared. For custom resources it has only a type. For built-in kinds it also has
 * the fields that their Go types always serialize, so that the creator does not own them.
 */
export function createBase(
  schema: SchemaNode,
  { apiVersion, kind }: { apiVersion?: unknown; kind?: unknown },
  typed: boolean,
  serialized?: JsonObject,
): KubeObject {
  const type = {
    ...(apiVersion === undefined ? {} : { apiVersion }),
    ...(kind === undefined ? {} : { kind }),
  };
  if (!typed) return { ...type, metadata: {} } as KubeObject;
  let empty = serialized ?? empties.get(schema);
  if (empty === undefined) {
    empty = zeroStruct(schema);
    empties.set(schema, empty);
  }
  return { ...empty, ...type, metadata: {} } as unknown as KubeObject;
}

/** Returns the fields that Go serializes for a zero-valued struct. */
export function zeroStruct(node: SchemaNode): JsonObject {
  const empty: JsonObject = {};
  for (const [name, property] of node.properties ?? []) {
    // OpenAPI documents non-pointer structs with the default {}.
    if (isObject(property.default) && Object.keys(property.default).length === 0)
      setOwn(empty, name, zeroStruct(property));
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

/** Returns a string field of the metadata for messages, empty if it is absent. */
export const metaText = (object: JsonObject, field: string): string => {
  const metadata = getOwn(object, 'metadata');
  const value = isObject(metadata) ? getOwn(metadata, field) : undefined;
  return typeof value === 'string' ? value : '';
};
