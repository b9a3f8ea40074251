import {
  type FieldError,
  fieldErrors,
  type FieldPath,
  getOwn,
  isObject,
  type JsonObject,
  repetitions,
  TypedText,
} from '@annex/machinery';
import { withEmptyFields } from '../crd/go-shape.ts';
import { goItems } from '../crd/go-value.ts';

const { forbidden, invalid, notSupported, required } = fieldErrors;

/** The checks that ratcheting skips if the stored CRD already violates them. */
export interface ListRules {
  atomicSetItems: boolean;
  requiredMapKeys: boolean;
}

export const mapTypes = ['atomic', 'granular'];

const itemOf = (schema: JsonObject): JsonObject | undefined =>
  isObject(schema.items) ? schema.items : undefined;
const keysOf = (schema: JsonObject): string[] => (schema['x-kubernetes-list-map-keys'] ?? []) as string[];

/** Validates `x-kubernetes-map-type`, `x-kubernetes-list-type` and `x-kubernetes-list-map-keys`. */
export function validateListType(schema: JsonObject, path: FieldPath, rules: ListRules): FieldError[] {
  return [
    ...typeBesides(schema, path, 'x-kubernetes-map-type', 'object'),
    ...oneOf(schema, path, 'x-kubernetes-map-type', mapTypes),
    ...listTypeBesides(schema, path, rules),
    ...oneOf(schema, path, 'x-kubernetes-list-type', ['atomic', 'set', 'map']),
    ...keysWithoutMap(schema, path),
    ...(schema['x-kubernetes-list-type'] === 'map' ? mapOfItems(schema, path) : []),
    ...(rules.requiredMapKeys ? presentKeys(schema, path) : []),
  ];
}

function typeBesides(schema: JsonObject, path: FieldPath, extension: string, type: string): FieldError[] {
  if (getOwn(schema, extension) === undefined || schema.type === type) return [];
  const detail = `must be ${type} if ${extension} is specified`;
  return [
    schema.type === undefined
      ? required(path.child('type'), detail)
      : invalid(path.child('type'), schema.type, detail),
  ];
}

function listTypeBesides(schema: JsonObject, path: FieldPath, rules: ListRules): FieldError[] {
  const errors = typeBesides(schema, path, 'x-kubernetes-list-type', 'array');
  if (errors.length > 0 || !rules.atomicSetItems) return errors;
  return nonAtomicSetItem(schema, path);
}

function oneOf(schema: JsonObject, path: FieldPath, extension: string, supported: string[]): FieldError[] {
  const value = getOwn(schema, extension);
  if (value === undefined || supported.includes(String(value))) return [];
  return [notSupported(path.child(extension), value, supported)];
}

/** Checks that the items of a set are atomic. */
export function nonAtomicSetItem(schema: JsonObject, path: FieldPath): FieldError[] {
  const item = itemOf(schema);
  if (item === undefined || schema['x-kubernetes-list-type'] !== 'set') return [];
  const listType = item['x-kubernetes-list-type'];
  const extension = item.type === 'array' ? 'x-kubernetes-list-type' : 'x-kubernetes-map-type';
  const unsupported =
    item.type === 'array'
      ? listType !== undefined && listType !== 'atomic'
      : item.type === 'object' && item['x-kubernetes-map-type'] !== 'atomic';
  if (!unsupported) return [];
  // kube reports the list type in both cases.
  const detail = 'must be atomic as item of a list with x-kubernetes-list-type=set';
  return [
    invalid(
      path.child('items', extension),
      typeof listType === 'string' ? new TypedText(listType) : null,
      detail,
    ),
  ];
}

function keysWithoutMap(schema: JsonObject, path: FieldPath): FieldError[] {
  const listType = schema['x-kubernetes-list-type'];
  if (keysOf(schema).length === 0 || listType === 'map') return [];
  const at = path.child('x-kubernetes-list-type');
  const detail = 'must be map if x-kubernetes-list-map-keys is non-empty';
  return [listType === undefined ? required(at, detail) : invalid(at, listType, detail)];
}

function mapOfItems(schema: JsonObject, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  const keys = path.child('x-kubernetes-list-map-keys');
  const items = path.child('items');
  if (keysOf(schema).length === 0) {
    errors.push(required(keys, 'must not be empty if x-kubernetes-list-type is map'));
  }
  const sent = withEmptyFields(schema).items;
  if (sent === undefined) {
    errors.push(required(items, 'must have a schema if x-kubernetes-list-type is map'));
  } else if (!isObject(sent)) {
    errors.push(
      invalid(items, goItems(sent), 'must only have a single schema if x-kubernetes-list-type is map'),
    );
  }
  const item = itemOf(schema);
  if (item === undefined) return errors;
  if (item.type !== 'object') {
    const detail = "must be object if parent array's x-kubernetes-list-type is map";
    return [...errors, invalid(items.child('type'), item.type ?? '', detail)];
  }
  return [...errors, ...keyProperties(schema, item, path)];
}

function keyProperties(schema: JsonObject, item: JsonObject, path: FieldPath): FieldError[] {
  const keys = keysOf(schema);
  const isRepeated = repetitions();
  const at = path.child('x-kubernetes-list-map-keys');
  return keys.flatMap((key) => {
    const errors: FieldError[] = [];
    const property = propertyOf(item, key);
    if (property === undefined) {
      errors.push(invalid(at, keys, 'entries must all be names of item properties'));
    } else if (property.type === 'array' || property.type === 'object') {
      const detail = "must be a scalar type if parent array's x-kubernetes-list-type is map";
      errors.push(invalid(path.child('items', 'properties').key(key).child('type'), item.type, detail));
    }
    if (isRepeated(key)) errors.push(invalid(at, keys, 'must not contain duplicate entries'));
    return errors;
  });
}

/** Checks that items of sets and maps are not nullable, and the keys of maps are always set. */
export function presentKeys(schema: JsonObject, path: FieldPath): FieldError[] {
  const item = itemOf(schema);
  const listType = schema['x-kubernetes-list-type'];
  if (item === undefined || (listType !== 'set' && listType !== 'map')) return [];
  const errors = item.nullable
    ? [
        forbidden(
          path.child('items', 'nullable'),
          `cannot be nullable when x-kubernetes-list-type is ${listType}`,
        ),
      ]
    : [];
  if (listType === 'set') return errors;
  const alwaysSet = new Set((item.required ?? []) as string[]);
  for (const key of keysOf(schema)) {
    const property = propertyOf(item, key);
    if (property === undefined) continue;
    const at = path.child('items', 'properties').key(key);
    const because = 'this property is in x-kubernetes-list-map-keys, so it';
    if (!alwaysSet.has(key) && property.default === undefined) {
      errors.push(required(at.child('default'), `${because} must have a default or be a required property`));
    }
    if (property.nullable) errors.push(forbidden(at.child('nullable'), `${because} cannot be nullable`));
  }
  return errors;
}

function propertyOf(schema: JsonObject, name: string): JsonObject | undefined {
  const { properties } = schema;
  const property = isObject(properties) && Object.hasOwn(properties, name) ? properties[name] : undefined;
  return isObject(property) ? property : undefined;
}
