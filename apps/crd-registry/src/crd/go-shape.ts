import {
  DividedVisit,
  getOwn,
  isEmptyObject,
  isManyParts,
  isObject,
  type JsonObject,
  type JsonValue,
  type Passes,
  setOwn,
  visitNames,
} from '@annex/machinery';

/**
 * The form of a field after kube-apiserver decoded it into its Go type and printed it: absent fields get a value, or empty fields are left
 * out.
 */
export type Shape =
  | { is: 'scalar'; absent?: JsonValue }
  /** A pointer: kept if set, even to an empty value; null means absent. */
  | { is: 'pointer'; of?: Shape }
  | { is: 'list'; of?: Shape; absent?: JsonValue }
  | { is: 'map'; of: Shape }
  | { is: 'record'; fields: Record<string, Shape> }
  | { is: 'schema' }
  /** A value that is neither a schema nor a list of schemas is decoded as absent. */
  | { is: 'schemaOrList' }
  | { is: 'schemaOrOther' };

export const scalar: Shape = { is: 'scalar' };
export const text: Shape = { is: 'scalar', absent: '' };
export const flag: Shape = { is: 'scalar', absent: false };
export const pointer: Shape = { is: 'pointer' };
/** In a list of strings, null is an empty string. */
export const texts: Shape = { is: 'list', of: text };
/** A JSON schema. */
export const schemaShape: Shape = { is: 'schema' };
const schemas: Shape = { is: 'list', of: schemaShape };
const schemaMap: Shape = { is: 'map', of: schemaShape };
export const record = (fields: Record<string, Shape>): Shape => ({ is: 'record', fields });
export const to = (of: Shape): Shape => ({ is: 'pointer', of });

const schemaFields: Record<string, Shape> = {
  id: scalar,
  $schema: scalar,
  $ref: pointer,
  description: scalar,
  type: scalar,
  format: scalar,
  title: scalar,
  default: pointer,
  maximum: pointer,
  exclusiveMaximum: scalar,
  minimum: pointer,
  exclusiveMinimum: scalar,
  maxLength: pointer,
  minLength: pointer,
  pattern: scalar,
  maxItems: pointer,
  minItems: pointer,
  uniqueItems: scalar,
  multipleOf: pointer,
  enum: { is: 'list' },
  maxProperties: pointer,
  minProperties: pointer,
  required: texts,
  items: { is: 'schemaOrList' },
  allOf: schemas,
  oneOf: schemas,
  anyOf: schemas,
  not: to(schemaShape),
  properties: schemaMap,
  additionalProperties: { is: 'schemaOrOther' },
  patternProperties: schemaMap,
  dependencies: { is: 'map', of: { is: 'schemaOrOther' } },
  additionalItems: { is: 'schemaOrOther' },
  definitions: schemaMap,
  externalDocs: to(record({ description: scalar, url: scalar })),
  example: pointer,
  nullable: scalar,
  'x-kubernetes-preserve-unknown-fields': pointer,
  'x-kubernetes-embedded-resource': scalar,
  'x-kubernetes-int-or-string': scalar,
  'x-kubernetes-list-map-keys': texts,
  'x-kubernetes-list-type': pointer,
  'x-kubernetes-map-type': pointer,
  'x-kubernetes-validations': {
    is: 'list',
    of: record({
      rule: text,
      message: scalar,
      messageExpression: scalar,
      reason: pointer,
      fieldPath: scalar,
      optionalOldSelf: pointer,
    }),
  },
};

/** Empty lists and maps of the request, by the decoded record that does not contain them. */
const leftOut = new WeakMap<object, JsonObject>();

/**
 * Returns a decoded CRD with the empty lists and maps of the request. kube-apiserver does not print them, but validates and quotes them.
 */
export function withEmptyFields<T extends object>(record: T): T {
  const empty = leftOut.get(record);
  return empty === undefined ? record : { ...record, ...empty };
}

/** Converts a value to the form of its Go type, in passes over it. */
export function* shapedInPasses(value: JsonValue | undefined, shape: Shape): Passes<JsonValue | undefined> {
  const visits = new DividedVisit();
  const result = shaped(value, shape, visits);
  yield* visits.rest();
  return result;
}

/** Converts a value, without the members and items that wait for a later pass. */
function shaped(value: JsonValue | undefined, shape: Shape, visits: DividedVisit): JsonValue | undefined {
  if (shape.is === 'schema') return shapedRecord(value, schemaFields, visits);
  if (shape.is === 'schemaOrList') return shapedItems(value, visits);
  if (shape.is === 'schemaOrOther') return shapedSchemaOrOther(value, visits);
  if (shape.is === 'record') return shapedRecord(value, shape.fields, visits);
  if (shape.is === 'map') return shapedMap(value, shape.of, visits);
  if (shape.is === 'list') return shapedList(value, shape, visits);
  if (shape.is === 'pointer')
    return value == null ? undefined : shape.of ? shaped(value, shape.of, visits) : value;
  if (value == null) return shape.absent;
  return shape.absent === undefined && isEmpty(value) ? undefined : value;
}

const isEmpty = (value: JsonValue): boolean => value === '' || value === false || value === 0;

function shapedRecord(
  value: JsonValue | undefined,
  fields: Record<string, Shape>,
  visits: DividedVisit,
): JsonObject {
  const source = isObject(value) ? value : {};
  const result: JsonObject = {};
  let empty: JsonObject | undefined;
  for (const { field, shape } of presentFields(source, fields)) {
    const sent = getOwn(source, field);
    const kept = shaped(sent, shape, visits);
    if (kept !== undefined) setOwn(result, field, kept);
    else if (isEmptyCollection(sent, shape)) setOwn((empty ??= {}), field, sent);
  }
  if (empty !== undefined) leftOut.set(result, empty);
  return result;
}

interface Field {
  field: string;
  shape: Shape;
  index: number;
}

/** The fields of a record in Go's order. */
interface Fields {
  all: readonly Field[];
  byName: ReadonlyMap<string, Field>;
  /** True if no field has a value while it is absent. */
  sparse: boolean;
}

const listed = new WeakMap<Record<string, Shape>, Fields>();

function fieldsOf(shapes: Record<string, Shape>): Fields {
  let fields = listed.get(shapes);
  if (fields === undefined) {
    const all = Object.entries(shapes).map(([field, shape], index) => ({ field, shape, index }));
    const sparse = all.every(({ shape }) => shaped(undefined, shape, new DividedVisit()) === undefined);
    fields = { all, byName: new Map(all.map((field) => [field.field, field])), sparse };
    listed.set(shapes, fields);
  }
  return fields;
}

/** Returns the fields that a record can have. A schema has 40 fields, of which most schemas have two. */
function presentFields(source: JsonObject, shapes: Record<string, Shape>): readonly Field[] {
  const { all, byName, sparse } = fieldsOf(shapes);
  if (!sparse) return all;
  const present: Field[] = [];
  for (const name in source) {
    const field = byName.get(name);
    if (field !== undefined) present.push(field);
  }
  return present.sort((a, b) => a.index - b.index);
}

const isEmptyCollection = (value: JsonValue | undefined, shape: Shape): value is NonNullable<JsonValue> =>
  (shape.is === 'list' && Array.isArray(value)) ||
  (shape.is === 'map' && isObject(value)) ||
  (shape.is === 'schemaOrList' && value != null);

function shapedMap(value: JsonValue | undefined, of: Shape, visits: DividedVisit): JsonObject | undefined {
  if (!isObject(value) || isEmptyObject(value)) return undefined;
  const result: JsonObject = {};
  const visit = (key: string): void => setOwn(result, key, shaped(getOwn(value, key), of, visits) ?? null);
  visitNames(value, visits, visit, true);
  return result;
}

function shapedList(
  value: JsonValue | undefined,
  shape: Shape & { is: 'list' },
  visits: DividedVisit,
): JsonValue | undefined {
  if (!Array.isArray(value)) return shape.absent;
  if (value.length === 0 && shape.absent === undefined) return undefined;
  const of = shape.of;
  return of === undefined ? value : eachShaped(value, visits, (item) => shaped(item, of, visits) ?? null);
}

function shapedItems(value: JsonValue | undefined, visits: DividedVisit): JsonValue | undefined {
  if (isObject(value)) return shapedRecord(value, schemaFields, visits);
  return Array.isArray(value) && value.length > 0
    ? eachShaped(value, visits, (item) => shapedRecord(item, schemaFields, visits))
    : undefined;
}

// `additionalProperties` is a schema or a boolean; a dependency is a schema or a list of names.
function shapedSchemaOrOther(value: JsonValue | undefined, visits: DividedVisit): JsonValue | undefined {
  if (value == null) return undefined;
  if (isObject(value)) return shapedRecord(value, schemaFields, visits);
  if (!Array.isArray(value)) return value;
  return eachShaped(value, visits, (item) =>
    isObject(item) ? shapedRecord(item, schemaFields, visits) : (item ?? ''),
  );
}

/** Returns the converted items of a list: of a long one, when the work that waits is finished. */
function eachShaped(
  items: readonly JsonValue[],
  visits: DividedVisit,
  convert: (item: JsonValue) => JsonValue,
): JsonValue[] {
  if (!isManyParts(items.length) && !visits.exceeds()) {
    visits.count(items.length);
    return items.map(convert);
  }
  const result: JsonValue[] = [];
  visits.postpone(visits.each(items, (item) => void result.push(convert(item))));
  return result;
}
