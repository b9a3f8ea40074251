import {
  deepCopy,
  deepEqual,
  fieldErrorsText,
  FieldPath,
  getOwn,
  isObject,
  type JsonObject,
  type JsonValue,
  type KubeObject,
  parseGroupVersion,
  stringifyJson,
  validateAnnotations,
  validateLabels,
} from '@annex/machinery';
import { goTypeName } from './nested.ts';

/** The converted object, or the reason why it is invalid. */
export type Checked = { object: KubeObject } | { error: string; about: 'nothing' | keyof typeof places };

/** Texts for the position of errors about a converted object; a value that is not an object has none. */
export const places = {
  type: 'returned invalid object at index 0',
  identity: 'returned invalid object',
  metadata: 'returned invalid metadata',
} as const;

/** Returns the accepted changes of a webhook: labels, annotations and everything outside the metadata. */
export function checkConverted(original: KubeObject, converted: JsonValue, apiVersion: string): Checked {
  if (!isObject(converted)) return { error: notAnObject(converted), about: 'nothing' };
  const unread = undecodable(converted);
  if (unread !== undefined) return { error: unread, about: 'nothing' };
  const type = typeInvalid(original, converted, apiVersion);
  if (type !== undefined) return { error: type, about: 'type' };
  if (Object.hasOwn(converted, 'items')) return { error: takenForList, about: 'nothing' };
  const identity = changedIdentity(original, converted);
  if (identity !== undefined) return { error: identity, about: 'identity' };
  const metadata = restoreMetadata(original, converted);
  if (metadata !== undefined) return { error: metadata, about: 'metadata' };
  return { object: converted as unknown as KubeObject };
}

function notAnObject(value: JsonValue): string {
  if (value === null) return 'unexpected end of JSON input';
  const type = Array.isArray(value) ? 'array' : typeof value === 'boolean' ? 'bool' : typeof value;
  const name = type === 'bigint' ? 'number' : type;
  return `json: cannot unmarshal ${name} into Go value of type map[string]interface {}`;
}

const textAt = (object: JsonObject, field: string): string => {
  const value = getOwn(object, field);
  return typeof value === 'string' ? value : '';
};

const takenForList = '*unstructured.Unstructured is not a list: no Items field in this object';

function undecodable(converted: JsonObject): string | undefined {
  const hasKind = textAt(converted, 'kind') !== '' && textAt(converted, 'apiVersion').split('/').length <= 2;
  return hasKind ? undefined : `Object 'Kind' is missing in '${stringifyJson(converted)}'`;
}

function typeInvalid(original: KubeObject, converted: JsonObject, apiVersion: string): string | undefined {
  const provided = textAt(converted, 'apiVersion');
  if (provided !== apiVersion) {
    const { group, version } = parseGroupVersion(provided);
    const received = group === '' ? version : `${group}/${version}`;
    return `invalid groupVersion (expected ${apiVersion}, received ${received})`;
  }
  const kind = textAt(converted, 'kind');
  return kind === original.kind ? undefined : `invalid kind (expected ${original.kind}, received ${kind})`;
}

const identity = [
  ['name', 'name'],
  ['namespace', 'namespace'],
  ['uid', 'UID'],
] as const;

function changedIdentity(original: KubeObject, { metadata }: JsonObject): string | undefined {
  for (const [field, word] of identity) {
    const before = original.metadata[field] ?? '';
    const after = isObject(metadata) ? textAt(metadata, field) : '';
    if (before !== after) return `must have the same ${word}: ${before} != ${after}`;
  }
  return undefined;
}

const changeable = [
  ['labels', validateLabels, FieldPath.of('metadata', 'labels')],
  ['annotations', validateAnnotations, FieldPath.of('metadata', 'annotation')],
] as const;

/** Combines labels and annotations of the webhook with all other metadata of the original. */
function restoreMetadata(original: KubeObject, converted: JsonObject): string | undefined {
  const provided = converted.metadata;
  if (provided === undefined) return 'missing metadata in converted object';
  if (!isObject(provided)) return `invalid metadata of type ${goTypeName(provided)} in converted object`;
  const metadata = deepCopy(original.metadata) as unknown as JsonObject;
  for (const [field, validate, path] of changeable) {
    const before = metadata[field];
    const value = provided[field];
    delete metadata[field];
    if (value === undefined || value === null) continue;
    if (!isObject(value)) return `invalid metadata.${field} of type ${goTypeName(value)} in converted object`;
    for (const [key, entry] of Object.entries(value)) {
      if (typeof entry === 'string') continue;
      return `metadata.${field}[${key}] must be a string, but is ${goTypeName(entry)} in converted object`;
    }
    // Unchanged values are not validated: the rules may have changed since they were stored.
    const errors = deepEqual(before, value) ? [] : validate(value as Record<string, string>, path);
    if (errors.length > 0) return fieldErrorsText(errors);
    if (Object.keys(value).length > 0) metadata[field] = value;
  }
  converted.metadata = metadata;
  return undefined;
}
