import {
  deepCopy,
  type FieldError,
  fieldErrors,
  FieldPath,
  getOwn,
  isObject,
  type JsonObject,
  type JsonValue,
  nameIsPathSegment,
  type ObjectMeta,
  validateDns1035Label,
  validateObjectMeta,
  pushAll,
} from '@annex/machinery';
import { noteRemoved } from './lazy-walks.ts';
import { isNullDropped } from './null-removal.ts';
import type { SchemaNode } from './node.ts';
import { coerceObjectMeta, dropInvalidMeta, objectMetaError } from './object-meta.ts';
import { sortedJson } from './sorted-json.ts';

/** Visits one embedded resource; an error ends the walk. Nulls in `nullDropped` fields are ignored. */
type Visit = (resource: JsonObject, path: string, nullDropped: ReadonlySet<string>) => FieldError | undefined;
type Walk = (value: JsonValue, path: string, visit: Visit) => FieldError | undefined;

/** The operations on resources that a schema embeds in others. */
export interface EmbeddedResources {
  /** Returns the error if kube-apiserver cannot decode an embedded resource, or `undefined`. */
  decodeError(value: JsonValue, path?: string): FieldError | undefined;
  /** Prunes and normalizes the metadata of embedded resources; returns the sorted paths of unknown fields. */
  coerce(value: JsonValue): string[];
  /** Like `coerce`, but drops metadata that cannot be decoded, as for defaults. */
  coerceLoosely(value: JsonValue): void;
  validate(value: JsonValue, path?: string): FieldError[];
}

/** Compiles the operations on embedded resources; `undefined` if a schema has none. */
export function compileEmbedded(root: SchemaNode): EmbeddedResources | undefined {
  const walk = compileWalk(root);
  if (walk === undefined) return undefined;
  return {
    decodeError: (value, path = '') => walk(value, path, coercionError),
    coerce: (value) => {
      const unknown: string[] = [];
      walk(value, '', (resource, path) => {
        const head = join(path, 'metadata');
        for (const name of coerceMetadata(resource)) noteRemoved(unknown, `${head}.${name}`);
        return undefined;
      });
      return unknown.sort();
    },
    coerceLoosely: (value) => void walk(value, '', coerceLoosely),
    validate: (value, path = '') => {
      const errors: FieldError[] = [];
      walk(value, path, (resource, at) => {
        validateResource(resource, at, errors);
        return undefined;
      });
      return errors;
    },
  };
}

function compileWalk(node: SchemaNode): Walk | undefined {
  const properties = new Map<string, Walk>();
  for (const [name, child] of node.properties ?? []) {
    const walk = compileWalk(child);
    if (walk !== undefined) properties.set(name, walk);
  }
  const { additionalProperties } = node;
  const additional =
    additionalProperties === undefined || additionalProperties === true
      ? undefined
      : compileWalk(additionalProperties);
  const items = node.items && compileWalk(node.items);
  const embedded = node.embeddedResource === true;
  if (!embedded && properties.size === 0 && !additional && !items) return undefined;
  const declared = node.properties ?? new Map<string, SchemaNode>();
  const nullDropped = new Set(
    [...declared].filter(([, child]) => isNullDropped(child)).map(([name]) => name),
  );
  return (value, path, visit) => {
    if (Array.isArray(value)) return items && walkItems(value, path, visit, items);
    if (!isObject(value)) return undefined;
    const stop = embedded ? visit(value, path, nullDropped) : undefined;
    if (stop !== undefined) return stop;
    for (const name in value) {
      const known = declared.has(name);
      const walk = known ? properties.get(name) : additional;
      const found = walk?.(value[name] as JsonValue, known ? join(path, name) : `${path}[${name}]`, visit);
      if (found !== undefined) return found;
    }
    return undefined;
  };
}

function walkItems(items: JsonValue[], path: string, visit: Visit, walk: Walk): FieldError | undefined {
  for (let i = 0; i < items.length; i++) {
    const found = walk(items[i] as JsonValue, `${path}[${i}]`, visit);
    if (found !== undefined) return found;
  }
  return undefined;
}

const join = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`);

/** Null metadata becomes empty, which the schema can still reject. */
function coerceMetadata(resource: JsonObject): string[] {
  if (resource.metadata === null) resource.metadata = {};
  return isObject(resource.metadata) ? coerceObjectMeta(resource.metadata) : [];
}

const typeFields = ['apiVersion', 'kind'];

const coercionError: Visit = (resource, path, nullDropped) => {
  for (const name of typeFields) {
    const value = getOwn(resource, name);
    if (value === undefined || (value === null && nullDropped.has(name))) continue;
    if (typeof value !== 'string') {
      return fieldErrors.invalid(join(path, name), sortedJson(value), 'must be a string');
    }
  }
  const { metadata } = resource;
  const error = metadata === undefined ? undefined : objectMetaError(metadata);
  return error === undefined
    ? undefined
    : fieldErrors.invalid(join(path, 'metadata'), sortedJson(metadata as JsonValue), error);
};

const coerceLoosely: Visit = (resource) => {
  for (const name of typeFields) {
    if (getOwn(resource, name) !== undefined && typeof getOwn(resource, name) !== 'string')
      delete resource[name];
  }
  if (isObject(resource.metadata)) dropInvalidMeta(resource.metadata);
  coerceMetadata(resource);
  return undefined;
};

function validateResource(resource: JsonObject, path: string, errors: FieldError[]): void {
  for (const name of typeFields) {
    const at = join(path, name);
    const value = getOwn(resource, name);
    if (value === undefined) errors.push(fieldErrors.required(at));
    else if (typeof value !== 'string') errors.push(fieldErrors.invalid(at, value, 'must be a string'));
    else if (value === '') errors.push(fieldErrors.invalid(at, value, 'must not be empty'));
    else pushAll(errors, name === 'kind' ? kindErrors(value, at) : apiVersionErrors(value, at));
  }
  if (resource.metadata !== undefined)
    pushAll(errors, metadataErrors(resource.metadata, join(path, 'metadata')));
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
  const coerced = isObject(metadata) ? deepCopy(metadata) : {};
  coerceObjectMeta(coerced);
  const meta = coerced as ObjectMeta;
  // An embedded resource needs no name, but the check of metadata requires one.
  const named = meta.name ? meta : { ...meta, name: 'fakename' };
  const rules = { namespaced: Boolean(meta.namespace), nameCheck: nameIsPathSegment };
  return validateObjectMeta(named, rules, FieldPath.of(at));
}
