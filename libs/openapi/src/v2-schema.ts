import { type JsonObject, type JsonValue, isObject, setOwn } from '@annex/machinery';

const componentPrefix = '#/components/schemas/';
const definitionPrefix = '#/definitions/';
const selectableExtension = 'x-kubernetes-selectable-fields';
const kindExtension = 'x-kubernetes-group-version-kind';

/** Keywords that OpenAPI v2 does not have, or that kubectl cannot read in v2. */
const lostKeywords = new Set(['default', 'nullable', 'allOf', 'anyOf', 'oneOf', 'not']);

/** Converts a choice of two types in v3 to the one type in v2 that includes both. */
function typeOfChoice(schema: JsonObject): JsonObject {
  const choice = (schema.oneOf ?? []) as JsonObject[];
  return schema.type === undefined && choice.some((one) => one.type === 'string') ? { type: 'string' } : {};
}

/** Returns the reference of a schema that is a reference, or an `allOf` with a single reference. */
function referenceOf(schema: JsonObject): string | undefined {
  const parts = schema.allOf;
  const holder = Array.isArray(parts) && parts.length === 1 && isObject(parts[0]) ? parts[0] : schema;
  return typeof holder.$ref === 'string' ? holder.$ref.replace(componentPrefix, definitionPrefix) : undefined;
}

/** Returns the allowed siblings of a reference: its description, and extensions. */
const besideReference = (schema: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(schema).filter(([key]) => key === 'description' || key.startsWith('x-kubernetes-')),
  );

/** Converts a schema of OpenAPI v3 to v2: without junctors, defaults and nulls, as kube-apiserver does. */
export function schemaToV2(schema: JsonObject): JsonObject {
  const $ref = referenceOf(schema);
  if ($ref !== undefined) return { ...besideReference(schema), $ref };
  const keepsUnknown = schema['x-kubernetes-preserve-unknown-fields'] === true;
  const opaque = schema.nullable === true || keepsUnknown;
  const out: JsonObject = typeOfChoice(schema);
  for (const [key, value] of Object.entries(schema)) {
    if (lostKeywords.has(key)) continue;
    if (opaque && (key === 'items' || key === 'properties')) continue;
    setOwn(out, key, convertKeyword(key, value));
  }
  const untyped =
    schema.nullable === true ||
    schema['x-kubernetes-int-or-string'] === true ||
    (out.type === 'array' && out.items === undefined) ||
    (out.type === 'object' && opaque);
  if (untyped) delete out.type;
  if (schema['x-kubernetes-embedded-resource'] === true) shapeEmbedded(out, schema, keepsUnknown);
  if (!opaque) dropNullableRequired(out, schema);
  return out;
}

function convertKeyword(key: string, value: JsonValue): JsonValue {
  if (key === 'properties' && isObject(value)) {
    return Object.fromEntries(
      Object.entries(value).map(([name, property]) => [
        name,
        isObject(property) ? schemaToV2(property) : property,
      ]),
    );
  }
  return (key === 'items' || key === 'additionalProperties') && isObject(value) ? schemaToV2(value) : value;
}

const embeddedFields = ['apiVersion', 'kind', 'metadata'];

/** Describes and requires the fields of an embedded resource, unless unknown fields are preserved. */
function shapeEmbedded(out: JsonObject, { properties }: JsonObject, keepsUnknown: boolean): void {
  if (keepsUnknown) {
    dropRequired(out, (name) => name === 'kind' || name === 'apiVersion');
  } else if (out.properties === undefined && isObject(properties)) {
    const described = Object.entries(properties).filter(([name]) => embeddedFields.includes(name));
    out.properties = convertKeyword('properties', Object.fromEntries(described));
  }
}

function dropRequired(out: JsonObject, isDropped: (name: JsonValue) => boolean): void {
  if (!Array.isArray(out.required)) return;
  const kept = out.required.filter((name) => !isDropped(name));
  if (kept.length === 0) delete out.required;
  else out.required = kept;
}

/** v2 has no null, so nullable fields cannot be required. */
function dropNullableRequired(out: JsonObject, { properties, additionalProperties }: JsonObject): void {
  const isNullable = (part: JsonValue | undefined) => isObject(part) && part.nullable === true;
  if (isNullable(additionalProperties)) delete out.required;
  if (!isObject(properties)) return;
  const nullable = new Set(Object.keys(properties).filter((name) => isNullable(properties[name])));
  dropRequired(out, (name) => nullable.has(String(name)));
}

/**
 * Converts a component to a definition. A component that preserves unknown fields at its root has no
 * properties.
 */
export function definitionToV2(schema: JsonObject): JsonObject {
  const kinds = schema[kindExtension];
  if (schema['x-kubernetes-preserve-unknown-fields'] === true && kinds !== undefined) {
    const { [selectableExtension]: selectable } = schema;
    return {
      type: 'object',
      [kindExtension]: kinds,
      ...(selectable === undefined ? {} : { [selectableExtension]: selectable }),
    };
  }
  return schemaToV2(schema);
}
