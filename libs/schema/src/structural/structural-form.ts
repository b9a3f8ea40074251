import { type JsonObject, type JsonValue, isObject } from '@annex/machinery';

/** The branches of the junctors of a schema, each with its place in it. */
export function junctorBranches(schema: JsonObject, junctor: 'allOf' | 'anyOf' | 'oneOf'): JsonObject[] {
  const branches = schema[junctor];
  return Array.isArray(branches) ? branches.filter(isObject) : [];
}

/** The properties of a schema; those that are no schemas left out. */
export function propertiesOf(schema: JsonObject): [name: string, property: JsonObject][] {
  if (!isObject(schema.properties)) return [];
  return Object.entries(schema.properties).filter((entry): entry is [string, JsonObject] =>
    isObject(entry[1]),
  );
}

/** True for a field that is not set, or set to what Go takes for not set. */
export function isUnset(value: JsonValue | undefined): boolean {
  if (value === undefined || value === null || value === '' || value === false) return true;
  return Array.isArray(value) && value.length === 0;
}

/** True where exactly these alternatives stand: an integer, then a string, and nothing else is said of them. */
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

/**
 * Why a schema document cannot be read as a structural schema at all, or `undefined`: fields that have no place in one,
 * which are refused for themselves.
 */
export function structuralObstacle(schema: JsonObject): string | undefined {
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
  for (const part of partsOf(schema)) {
    const obstacle = structuralObstacle(part);
    if (obstacle !== undefined) return obstacle;
  }
  return undefined;
}

const isPresent = (value: JsonValue | undefined): boolean =>
  !isUnset(value) && !(isObject(value) && Object.keys(value).length === 0);

function* partsOf(schema: JsonObject): Generator<JsonObject> {
  for (const name of ['items', 'additionalProperties', 'not'] as const) {
    const part = schema[name];
    if (isObject(part)) yield part;
  }
  for (const [, property] of propertiesOf(schema)) yield property;
  for (const junctor of ['allOf', 'anyOf', 'oneOf'] as const) yield* junctorBranches(schema, junctor);
}
