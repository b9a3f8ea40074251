import { type JsonObject, type JsonValue, isObject, setOwn } from '@annex/machinery';

const componentPrefix = '#/components/schemas/';
const definitionPrefix = '#/definitions/';
const selectableExtension = 'x-kubernetes-selectable-fields';
const kindExtension = 'x-kubernetes-group-version-kind';

/** What OpenAPI v2 does not have, or kubectl cannot read there. */
const lostKeywords = new Set(['default', 'nullable', 'allOf', 'anyOf', 'oneOf', 'not']);

/** The two types that v3 writes as a choice, and v2 as the one that both fit into. */
function typeOfChoice(schema: JsonObject): JsonObject {
  const choice = (schema.oneOf ?? []) as JsonObject[];
  return schema.type === undefined && choice.some((one) => one.type === 'string') ? { type: 'string' } : {};
}

/** The reference that a schema stands for, on its own or as the only part of an `allOf`. */
function referenceOf(schema: JsonObject): string | undefined {
  const parts = schema.allOf;
  const holder = Array.isArray(parts) && parts.length === 1 && isObject(parts[0]) ? parts[0] : schema;
  return typeof holder.$ref === 'string' ? holder.$ref.replace(componentPrefix, definitionPrefix) : undefined;
}

/** What may stand beside a reference: its description, and extensions. */
const besideReference = (schema: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(schema).filter(([key]) => key === 'description' || key.startsWith('x-kubernetes-')),
  );

/** A schema of OpenAPI v3 as v2 has it: without junctors, defaults and nulls, as kube-apiserver writes it. */
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

/** The fields of an embedded resource are described and required, but not where other fields are kept too. */
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

/** A null has no place in v2, so a field that may be null cannot be required there. */
function dropNullableRequired(out: JsonObject, { properties, additionalProperties }: JsonObject): void {
  const isNullable = (part: JsonValue | undefined) => isObject(part) && part.nullable === true;
  if (isNullable(additionalProperties)) delete out.required;
  if (!isObject(properties)) return;
  const nullable = new Set(Object.keys(properties).filter((name) => isNullable(properties[name])));
  dropRequired(out, (name) => nullable.has(String(name)));
}

/** A component as a definition. One that keeps unknown fields at its root shows none. */
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
