import { isEmptyMap, isObject, type JsonObject, type JsonValue } from '@annex/machinery';

/** Returns the branches of a junctor. */
export function junctorBranches(schema: JsonObject, junctor: 'allOf' | 'anyOf' | 'oneOf'): JsonObject[] {
  const branches = schema[junctor];
  return Array.isArray(branches) ? branches.filter(isObject) : [];
}

/** Returns the properties of a schema that are objects. */
export function propertiesOf(schema: JsonObject): [name: string, property: JsonObject][] {
  if (!isObject(schema.properties)) return [];
  return Object.entries(schema.properties).filter((entry): entry is [string, JsonObject] =>
    isObject(entry[1]),
  );
}

/** Returns true if a field is absent or has a zero value in Go. */
export function isUnset(value: JsonValue | undefined): boolean {
  if (value === undefined || value === null || value === '' || value === false) return true;
  return Array.isArray(value) && value.length === 0;
}

/** Returns true if `anyOf` is exactly an integer, then a string, without other constraints. */
export function isIntOrStringPattern(schema: JsonObject): boolean {
  const [first, second, ...more] = junctorBranches(schema, 'anyOf');
  return more.length === 0 && isBareType(first, 'integer') && isBareType(second, 'string');
}

function isBareType(schema: JsonObject | undefined, type: string): boolean {
  return (
    schema?.type === type &&
    Object.entries(schema).every(([name, value]) => name === 'type' || isUnset(value))
  );
}

const unsupported = [
  'id',
  '$schema',
  '$ref',
  'patternProperties',
  'dependencies',
  'additionalItems',
  'definitions',
] as const;

/** Returns the error if a schema document has a field that structural schemas do not support, or `undefined`. */
export function structuralSchemaError(schema: JsonObject): string | undefined {
  for (const name of unsupported) {
    if (isPresent(schema[name]) || (name === 'additionalItems' && schema[name] !== undefined))
      return `OpenAPIV3Schema '${name === '$schema' ? 'schema' : name}' is not supported`;
  }
  if (schema['x-kubernetes-preserve-unknown-fields'] === false) {
    return "internal error: 'x-kubernetes-preserve-unknown-fields' must be true or undefined";
  }
  if (Array.isArray(schema.items) && schema.items.length > 0) {
    return "OpenAPIV3Schema 'items' must be a schema, but is an array";
  }
  return errorBelow(schema);
}

// Without generators and lists of entries, which take most of the time of a large schema.
function errorBelow(schema: JsonObject): string | undefined {
  let error: string | undefined;
  for (const name of ['items', 'additionalProperties', 'not'] as const) {
    const part = schema[name];
    if (isObject(part)) error ??= structuralSchemaError(part);
  }
  const { properties } = schema;
  if (isObject(properties)) {
    for (const name of Object.keys(properties)) {
      const property = properties[name];
      if (error === undefined && isObject(property)) error = structuralSchemaError(property);
    }
  }
  for (const junctor of ['allOf', 'anyOf', 'oneOf'] as const) {
    const branches = schema[junctor];
    if (!Array.isArray(branches)) continue;
    for (const branch of branches) if (isObject(branch)) error ??= structuralSchemaError(branch);
  }
  return error;
}

const isPresent = (value: JsonValue | undefined): boolean => !isUnset(value) && !isEmptyMap(value);
