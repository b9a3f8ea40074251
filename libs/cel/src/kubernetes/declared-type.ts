import { utf8Length } from '@annex/machinery';
import { type CelType, listType, mapType, structType, types } from '../typing/type.ts';
import { escapeName } from './escaping.ts';
import { type TypedSchema, withTypeAndMetadata } from './typed-schema.ts';

/** The type of a schema's values, with the limits of their sizes. */
export interface DeclaredType {
  readonly celType: CelType;
  /** The maximum number of elements, entries, or bytes; 0 for values without a size. */
  readonly maxElements: number;
  /** The minimum size of a value in JSON, in bytes. */
  readonly minSerializedSize: number;
  /** The fields by identifier, for objects with fields. */
  readonly fields?: ReadonlyMap<string, DeclaredType>;
  /** The type of list elements or map values. */
  readonly element?: DeclaredType;
  /** The maximum length of a map key, in bytes; a schema does not limit it. */
  readonly maxKeyLength?: number;
}

/** The maximum size of a request, in bytes; it bounds sizes that a schema does not limit. */
export const maxRequestBytes = 3 * 1024 * 1024;

const maxTextBytes = maxRequestBytes - 2;

/** The sizes of strings with a format; `minSerializedSize` includes the quotation marks. */
const timeFormats = new Map<string, Pick<DeclaredType, 'celType' | 'maxElements' | 'minSerializedSize'>>([
  ['duration', { celType: types.duration, maxElements: 32, minSerializedSize: 3 }],
  ['date', { celType: types.timestamp, maxElements: 12, minSerializedSize: 12 }],
  ['date-time', { celType: types.timestamp, maxElements: 32, minSerializedSize: 21 }],
]);

const scalars = new Map<string, DeclaredType>([
  ['boolean', { celType: types.bool, maxElements: 0, minSerializedSize: 4 }],
  ['number', { celType: types.double, maxElements: 0, minSerializedSize: 1 }],
  ['integer', { celType: types.int, maxElements: 0, minSerializedSize: 1 }],
]);

/**
 * Returns the type of a schema's values; undefined if expressions cannot use them because their type is unknown. Object
 * types are named by their path: `name`, `name.field`, `name.@elem`, `name.@idx`.
 */
export function declaredType(
  document: TypedSchema,
  name: string,
  resourceRoot = false,
): DeclaredType | undefined {
  if (document.intOrString) {
    return { celType: types.dyn, maxElements: lengthOf(document) ?? maxTextBytes, minSerializedSize: 1 };
  }
  const schema = resourceRoot ? withTypeAndMetadata(document) : document;
  switch (schema.type) {
    case 'array':
      return declaredList(schema, name);
    case 'object':
      return isSchema(schema.additionalProperties)
        ? declaredMap(schema, schema.additionalProperties, name)
        : declaredObject(schema, name);
    case 'string':
      return declaredText(schema);
    default:
      return scalars.get(schema.type ?? '');
  }
}

const isSchema = (schema: TypedSchema | true | undefined): schema is TypedSchema =>
  schema !== undefined && schema !== true;

function declaredList({ items, validations }: TypedSchema, name: string): DeclaredType | undefined {
  const element = items && declaredType(items, `${name}.@idx`, items.embeddedResource);
  if (!element) return undefined;
  const estimate = Math.floor((maxRequestBytes - 2) / (element.minSerializedSize + 1));
  const maxElements = atLeastZero(validations?.maxItems) ?? estimate;
  return { celType: listType(element.celType), element, maxElements, minSerializedSize: 2 };
}

function declaredMap(
  { validations }: TypedSchema,
  values: TypedSchema,
  name: string,
): DeclaredType | undefined {
  const element = declaredType(values, `${name}.@elem`, values.embeddedResource);
  if (!element) return undefined;
  // A key takes two bytes, plus its quotation marks, a colon and a comma.
  const estimate = Math.floor((maxRequestBytes - 2) / (element.minSerializedSize + 6));
  const maxElements = atLeastZero(validations?.maxProperties) ?? estimate;
  return { celType: mapType(types.string, element.celType), element, maxElements, minSerializedSize: 2 };
}

function declaredObject(schema: TypedSchema, name: string): DeclaredType {
  const fields = new Map<string, DeclaredType>();
  const requiredNames = new Set(schema.required);
  let minSerializedSize = 2;
  for (const [property, of] of schema.properties ?? []) {
    const identifier = escapeName(property);
    const type = declaredType(of, `${name}.${identifier ?? property}`, of.embeddedResource);
    if (!type) continue;
    if (identifier !== undefined) fields.set(identifier, type);
    const isRequired = requiredNames.has(property) && of.default === undefined;
    if (isRequired) minSerializedSize += utf8Length(property) + type.minSerializedSize + 4;
  }
  return { celType: structType(name), fields, maxElements: 0, minSerializedSize };
}

function declaredText(schema: TypedSchema): DeclaredType {
  const { format = '', validations } = schema;
  const time = timeFormats.get(format);
  if (time) return time;
  if (format === 'byte') {
    const maxElements = atLeastZero(validations?.maxLength) ?? maxTextBytes;
    return { celType: types.bytes, maxElements, minSerializedSize: 2 };
  }
  const maxElements = lengthOf(schema) ?? longestOf(validations?.enum) ?? maxTextBytes;
  return { celType: types.string, maxElements, minSerializedSize: 2 };
}

/** Returns the maximum size of a string in bytes; a character takes at most four. */
function lengthOf({ validations }: TypedSchema): number | undefined {
  const length = atLeastZero(validations?.maxLength);
  return length === undefined ? undefined : length * 4;
}

function longestOf(values: readonly unknown[] | undefined): number | undefined {
  if (!values || values.length === 0) return undefined;
  return values.reduce<number>(
    (longest, value) => Math.max(longest, typeof value === 'string' ? utf8Length(value) : 0),
    0,
  );
}

/** Returns the type with its object types renamed to paths below `name`. */
export function renameTypes(type: DeclaredType, name: string): DeclaredType {
  if (type.fields) {
    const fields = new Map<string, DeclaredType>();
    for (const [field, of] of type.fields) fields.set(field, renameTypes(of, `${name}.${field}`));
    return { ...type, celType: structType(name), fields };
  }
  if (!type.element) return type;
  const isList = type.celType.kind === 'list';
  const element = renameTypes(type.element, `${name}.${isList ? '@idx' : '@elem'}`);
  if (element === type.element) return type;
  const celType = isList ? listType(element.celType) : mapType(types.string, element.celType);
  return { ...type, celType, element };
}

const atLeastZero = (limit: number | undefined): number | undefined =>
  limit === undefined ? undefined : Math.max(limit, 0);
