import {
  DividedVisit,
  isEmptyMap,
  isObject,
  type JsonObject,
  type JsonValue,
  namesInPasses,
  type Passes,
} from '@annex/machinery';
import { compileBuiltin } from './builtin/builtin.ts';
import { decodeErrorOf, pruneFields } from './object-schema.ts';
import { openApiNode } from './openapi-node.ts';

const text = { type: 'string' };
const required = { type: 'string', default: '' };
const integer = { type: 'integer', format: 'int64' };
const time = { $ref: 'meta.v1.Time' };
const strings = { type: 'object', additionalProperties: required };
const list = (items: JsonObject): JsonObject => ({ type: 'array', items });

/** ObjectMeta of meta/v1. */
const components: Record<string, JsonObject> = {
  'meta.v1.ObjectMeta': {
    type: 'object',
    properties: {
      name: text,
      generateName: text,
      namespace: text,
      selfLink: text,
      uid: text,
      resourceVersion: text,
      generation: integer,
      creationTimestamp: time,
      deletionTimestamp: time,
      deletionGracePeriodSeconds: integer,
      labels: strings,
      annotations: strings,
      ownerReferences: list({ default: {}, $ref: 'meta.v1.OwnerReference' }),
      finalizers: list(required),
      managedFields: list({ default: {}, $ref: 'meta.v1.ManagedFieldsEntry' }),
    },
  },
  'meta.v1.OwnerReference': {
    type: 'object',
    properties: {
      apiVersion: required,
      kind: required,
      name: required,
      uid: required,
      controller: { type: 'boolean' },
      blockOwnerDeletion: { type: 'boolean' },
    },
  },
  'meta.v1.ManagedFieldsEntry': {
    type: 'object',
    properties: {
      manager: text,
      operation: text,
      apiVersion: text,
      time,
      fieldsType: text,
      fieldsV1: { $ref: 'meta.v1.FieldsV1' },
      subresource: text,
    },
  },
  'meta.v1.Time': { type: 'string', format: 'date-time' },
  'meta.v1.FieldsV1': { type: 'object' },
};

const schema = compileBuiltin(openApiNode(components, 'meta.v1.ObjectMeta'));

/** Returns the error if kube-apiserver cannot decode a value as ObjectMeta, or `undefined`. */
export function objectMetaError(metadata: JsonValue): string | undefined {
  return schema.decodeError(metadata as JsonObject);
}

/** The same, in passes if there are many labels. */
export const metaErrorInPasses = (metadata: JsonValue): Passes<string | undefined> =>
  decodeErrorOf(schema, metadata as JsonObject);

/**
 * Normalizes decodable metadata to the encoded form of ObjectMeta: without unknown fields, nulls and zero values, and with
 * times in UTC. Returns the paths of the unknown fields.
 */
export function coerceObjectMeta(metadata: JsonObject): string[] {
  const unknown = schema.prune(metadata);
  schema.applyDefaults(metadata);
  dropZeros(metadata);
  return unknown;
}

/** The same in passes, each of which may list the names of many labels. */
export function* coerceMetaInPasses(metadata: JsonObject): Passes<string[]> {
  const unknown = yield* pruneFields(schema, metadata);
  yield 'long';
  const visits = new DividedVisit();
  schema.applyDefaults(metadata, visits);
  yield* visits.rest();
  yield 'long';
  dropZeros(metadata);
  return unknown;
}

function dropZeros(metadata: JsonObject): void {
  for (const name in metadata) if (isZero(name, metadata[name] as JsonValue)) delete metadata[name];
}

/** Removes the fields that cannot be decoded. */
export function dropInvalidMeta(metadata: JsonObject): void {
  for (const name of Object.keys(metadata)) {
    if (objectMetaError({ [name]: metadata[name] as JsonValue }) !== undefined) delete metadata[name];
  }
}

/** The same in passes. */
export function* dropInvalidMetaInPasses(metadata: JsonObject): Passes<void> {
  for (const name of yield* namesInPasses(metadata)) {
    // permitted: no-inherited-keys, these are its own names
    const error = yield* metaErrorInPasses({ [name]: metadata[name] as JsonValue });
    if (error !== undefined) delete metadata[name];
  }
}

/** Normalizes merged metadata to ObjectMeta, as kube-apiserver does for stored objects: drops fields that cannot be decoded. */
export function coerceMetaLoosely(object: JsonObject): void {
  if (!isObject(object.metadata)) object.metadata = {};
  dropInvalidMeta(object.metadata);
  coerceObjectMeta(object.metadata);
}

function isZero(name: string, value: JsonValue): boolean {
  if (name === 'deletionGracePeriodSeconds') return false;
  if (value === '' || value === 0) return true;
  if (Array.isArray(value)) return value.length === 0;
  return isEmptyMap(value);
}
