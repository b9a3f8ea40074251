import {
  copyInPasses,
  deepCopy,
  errorsInPasses,
  type FieldError,
  fieldErrors,
  FieldPath,
  getOwn,
  isObject,
  type JsonObject,
  type JsonValue,
  maxFieldErrors,
  nameIsPathSegment,
  type ObjectMeta,
  type Passes,
  pushAll,
  validateDns1035Label,
  validateObjectMeta,
} from '@annex/machinery';
import {
  coerceMetaInPasses,
  coerceObjectMeta,
  dropInvalidMeta,
  dropInvalidMetaInPasses,
  metaErrorInPasses,
  objectMetaError,
} from '../object-meta.ts';
import type { RemovedFields } from '../removed-fields.ts';
import { sortedJson } from '../sorted-json.ts';
import { join, type Visit, type Visits } from './walk.ts';

/** Finds the first resource that kube-apiserver cannot decode. */
export const decoding: Visits = {
  atOnce: (resource, path, nullDropped) => {
    const { metadata } = resource;
    const error = typeError(resource, path, nullDropped);
    if (error !== undefined || metadata === undefined) return error;
    return undecodable(path, metadata, objectMetaError(metadata));
  },
  *inPasses(resource, path, nullDropped) {
    const { metadata } = resource;
    const error = typeError(resource, path, nullDropped);
    if (error !== undefined || metadata === undefined) return error;
    return undecodable(path, metadata, yield* metaErrorInPasses(metadata));
  },
};

/** Prunes and normalizes the metadata of resources, and notes unknown fields. */
export const coercion = (unknown: RemovedFields): Visits => ({
  atOnce: (resource, path) => {
    noteUnknown(coerceMetadata(resource), path, unknown);
    return undefined;
  },
  *inPasses(resource, path) {
    noteUnknown(yield* coerceMetadataInPasses(resource), path, unknown);
    return undefined;
  },
});

/** The same, and drops what cannot be decoded. */
export const looseCoercion: Visits = {
  atOnce: (resource) => {
    dropInvalidTypes(resource);
    if (isObject(resource.metadata)) dropInvalidMeta(resource.metadata);
    coerceMetadata(resource);
    return undefined;
  },
  *inPasses(resource) {
    dropInvalidTypes(resource);
    if (isObject(resource.metadata)) yield* dropInvalidMetaInPasses(resource.metadata);
    yield* coerceMetadataInPasses(resource);
    return undefined;
  },
};

/** Adds the errors of the type and the metadata of resources; beyond those that are reported, there may be more. */
export const validation = (errors: FieldError[]): Visits => ({
  atOnce: (resource, path) => {
    if (errors.length > maxFieldErrors) return undefined;
    pushAll(errors, typeErrors(resource, path));
    const { metadata } = resource;
    if (metadata !== undefined) pushAll(errors, metadataErrors(metadata, join(path, 'metadata')));
    return undefined;
  },
  *inPasses(resource, path) {
    if (errors.length > maxFieldErrors) return undefined;
    pushAll(errors, typeErrors(resource, path));
    const { metadata } = resource;
    if (metadata !== undefined)
      pushAll(errors, yield* metadataErrorsInPasses(metadata, join(path, 'metadata')));
    return undefined;
  },
});

function noteUnknown(names: readonly string[], path: string, unknown: RemovedFields): void {
  const head = join(path, 'metadata');
  for (const name of names) unknown.note(`${head}.${name}`);
}

/** Null metadata becomes empty, which the schema can still reject. */
function coerceMetadata(resource: JsonObject): string[] {
  if (resource.metadata === null) resource.metadata = {};
  return isObject(resource.metadata) ? coerceObjectMeta(resource.metadata) : [];
}

function* coerceMetadataInPasses(resource: JsonObject): Passes<string[]> {
  yield 'long';
  if (resource.metadata === null) resource.metadata = {};
  const unknown = isObject(resource.metadata) ? yield* coerceMetaInPasses(resource.metadata) : [];
  yield;
  return unknown;
}

const typeFields = ['apiVersion', 'kind'];

const undecodable = (path: string, metadata: JsonValue, why: string | undefined): FieldError | undefined =>
  why === undefined ? undefined : fieldErrors.invalid(join(path, 'metadata'), sortedJson(metadata), why);

const typeError: Visit = (resource, path, nullDropped) => {
  for (const name of typeFields) {
    const value = getOwn(resource, name);
    if (value === undefined || (value === null && nullDropped.has(name))) continue;
    if (typeof value !== 'string') {
      return fieldErrors.invalid(join(path, name), sortedJson(value), 'must be a string');
    }
  }
  return undefined;
};

function dropInvalidTypes(resource: JsonObject): void {
  for (const name of typeFields) {
    if (getOwn(resource, name) !== undefined && typeof getOwn(resource, name) !== 'string')
      delete resource[name];
  }
}

function typeErrors(resource: JsonObject, path: string): FieldError[] {
  const errors: FieldError[] = [];
  for (const name of typeFields) {
    const at = join(path, name);
    const value = getOwn(resource, name);
    if (value === undefined) errors.push(fieldErrors.required(at));
    else if (typeof value !== 'string') errors.push(fieldErrors.invalid(at, value, 'must be a string'));
    else if (value === '') errors.push(fieldErrors.invalid(at, value, 'must not be empty'));
    else pushAll(errors, name === 'kind' ? kindErrors(value, at) : apiVersionErrors(value, at));
  }
  return errors;
}

function apiVersionErrors(value: string, at: string): FieldError[] {
  if (value.split('/').length <= 2) return [];
  return [fieldErrors.invalid(at, value, `unexpected GroupVersion string: ${value}`)];
}

function kindErrors(value: string, at: string): FieldError[] {
  const messages = validateDns1035Label(value.toLowerCase());
  if (messages.length === 0) return [];
  const detail = `may have mixed case, but should otherwise match: ${messages.join(',')}`;
  return [fieldErrors.invalid(at, value, detail)];
}

function metadataErrors(metadata: JsonValue, at: string): FieldError[] {
  const error = objectMetaError(metadata);
  if (error !== undefined) return [fieldErrors.invalid(at, sortedJson(metadata), error)];
  // The result of an apply is not normalized to ObjectMeta yet.
  const copy = isObject(metadata) ? deepCopy(metadata) : {};
  coerceObjectMeta(copy);
  return coercedErrors(copy, at);
}

function* metadataErrorsInPasses(metadata: JsonValue, at: string): Passes<FieldError[]> {
  yield;
  const error = yield* metaErrorInPasses(metadata);
  yield;
  if (error !== undefined) return [fieldErrors.invalid(at, sortedJson(metadata), error)];
  const copy = isObject(metadata) ? yield* copyInPasses(metadata) : {};
  yield 'long';
  yield* coerceMetaInPasses(copy);
  yield;
  return yield* errorsInPasses(() => coercedErrors(copy, at));
}

function coercedErrors(metadata: JsonObject, at: string): FieldError[] {
  const meta = metadata as ObjectMeta;
  // An embedded resource needs no name, but the check of metadata requires one.
  const named = meta.name ? meta : { ...meta, name: 'fakename' };
  const rules = { namespaced: Boolean(meta.namespace), nameCheck: nameIsPathSegment };
  return validateObjectMeta(named, rules, FieldPath.of(at));
}
