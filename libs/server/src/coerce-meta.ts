import { type JsonObject, type JsonValue, badRequest, isObject } from '@annex/machinery';

type Check = (value: JsonValue) => boolean;

const isString: Check = (value) => typeof value === 'string';
const isInteger: Check = (value) =>
  typeof value === 'bigint' || (typeof value === 'number' && Number.isInteger(value));
const isBoolean: Check = (value) => typeof value === 'boolean';
const isTime: Check = (value) => typeof value === 'string' && !Number.isNaN(Date.parse(value));
const isStringMap: Check = (value) =>
  isObject(value) && Object.values(value).every((v) => v === null || isString(v));
const isListOf =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every((item) => item === null || check(item));
const isObjectOf =
  (fields: Record<string, Check>): Check =>
  (value) =>
    isObject(value) &&
    Object.entries(value).every(([key, v]) => v === null || !Object.hasOwn(fields, key) || fields[key]?.(v));

const ownerReference = isObjectOf({
  apiVersion: isString,
  kind: isString,
  name: isString,
  uid: isString,
  controller: isBoolean,
  blockOwnerDeletion: isBoolean,
});

/** The fields of ObjectMeta and what they hold. */
const fields = new Map<string, [type: string, check: Check]>([
  ['name', ['string', isString]],
  ['generateName', ['string', isString]],
  ['namespace', ['string', isString]],
  ['selfLink', ['string', isString]],
  ['uid', ['types.UID', isString]],
  ['resourceVersion', ['string', isString]],
  ['generation', ['int64', isInteger]],
  ['creationTimestamp', ['v1.Time', isTime]],
  ['deletionTimestamp', ['v1.Time', isTime]],
  ['deletionGracePeriodSeconds', ['int64', isInteger]],
  ['labels', ['map[string]string', isStringMap]],
  ['annotations', ['map[string]string', isStringMap]],
  ['ownerReferences', ['[]v1.OwnerReference', isListOf(ownerReference)]],
  ['finalizers', ['[]string', isListOf(isString)]],
  ['managedFields', ['[]v1.ManagedFieldsEntry', isListOf(isObject)]],
]);

/**
 * Brings the metadata of a custom resource into the shape of ObjectMeta: unknown fields and nulls are removed.
 * Returns the paths of the unknown fields. Throws 400 for a field of a wrong type.
 */
export function coerceMeta(object: JsonObject): string[] {
  const { metadata } = object;
  if (metadata === undefined || metadata === null) return [];
  if (!isObject(metadata)) {
    throw badRequest(
      `json: cannot unmarshal ${goType(metadata)} into Go struct field .metadata of type v1.ObjectMeta`,
    );
  }
  const unknown: string[] = [];
  for (const [name, value] of Object.entries(metadata)) {
    const field = fields.get(name);
    if (field === undefined) {
      unknown.push(`metadata.${name}`);
      delete metadata[name];
    } else if (value === null) {
      delete metadata[name];
    } else if (!field[1](value)) {
      throw badRequest(
        `json: cannot unmarshal ${goType(value)} into Go struct field ObjectMeta.metadata.${name} of type ${field[0]}`,
      );
    }
  }
  return unknown.sort();
}

const goType = (value: JsonValue): string =>
  Array.isArray(value)
    ? 'array'
    : typeof value === 'boolean'
      ? 'bool'
      : typeof value === 'bigint'
        ? 'number'
        : typeof value;

/** Leaves out what is empty, as Go does when it writes ObjectMeta. Empty managedFields say something: they stay. */
export function tidyMeta(metadata: unknown): void {
  if (!isObject(metadata)) return;
  for (const [name, value] of Object.entries(metadata)) {
    if (name !== 'managedFields' && isEmpty(value)) delete metadata[name];
  }
}

const isEmpty = (value: JsonValue): boolean =>
  value === '' || (typeof value === 'object' && value !== null && Object.keys(value).length === 0);
