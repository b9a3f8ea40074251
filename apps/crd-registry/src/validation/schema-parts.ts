import { FieldPath, isObject, type JsonObject, type JsonValue } from '@annex/machinery';

/** A schema inside another schema. */
export interface SchemaPart {
  schema: JsonObject;
  path: FieldPath;
  /** The property that the schema describes, if any. */
  property?: string;
  via: 'additionalProperties' | 'property' | 'junctor' | 'items' | 'dead';
}

const junctors = ['allOf', 'oneOf', 'anyOf'] as const;

/** Returns the direct child schemas of a schema, in the order in which kube validates them. */
export function partsOf(schema: JsonObject, path: FieldPath): SchemaPart[] {
  const parts: SchemaPart[] = [];
  const add = (
    value: JsonValue | undefined,
    at: FieldPath,
    via: SchemaPart['via'],
    property?: string,
  ): void => {
    if (isObject(value))
      parts.push({ schema: value, path: at, via, ...(property === undefined ? {} : { property }) });
  };
  const addAll = (field: string, value: JsonValue | undefined, via: SchemaPart['via']): void => {
    if (!isObject(value)) return;
    for (const [key, part] of Object.entries(value)) add(part, path.child(field).key(key), via, key);
  };
  add(schema.additionalProperties, path.child('additionalProperties'), 'additionalProperties');
  addAll('properties', schema.properties, 'property');
  add(schema.not, path.child('not'), 'junctor');
  for (const field of junctors) {
    const list = schema[field];
    if (Array.isArray(list)) list.forEach((part, i) => add(part, path.child(field).index(i), 'junctor'));
  }
  addAll('definitions', schema.definitions, 'dead');
  const { items } = schema;
  add(items, path.child('items'), 'items');
  if (Array.isArray(items)) items.forEach((part, i) => add(part, path.child('items').index(i), 'items'));
  addAll('dependencies', schema.dependencies, 'dead');
  return parts;
}

/** True if the schema or one inside it matches the predicate. */
export function anySchema(
  schema: JsonObject | undefined,
  predicate: (schema: JsonObject) => boolean,
): boolean {
  if (schema === undefined) return false;
  if (predicate(schema)) return true;
  return partsOf(schema, FieldPath.root).some((part) => anySchema(part.schema, predicate));
}

/** Calls the visitor for the schema and every schema inside it. */
export function forEachSchema(schema: JsonObject, visit: (schema: JsonObject) => void): void {
  anySchema(schema, (part) => {
    visit(part);
    return false;
  });
}
