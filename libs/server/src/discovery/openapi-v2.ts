import { type JsonObject, type JsonValue, isObject, setOwn } from '@annex/machinery';
import { openApiRelease } from '../builtin/openapi-document.ts';

const componentPrefix = '#/components/schemas/';
const definitionPrefix = '#/definitions/';
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

/** A schema of OpenAPI v3 as v2 has it: without junctors, defaults and nulls, as kube-apiserver writes it. */
export function schemaToV2(schema: JsonObject): JsonObject {
  const $ref = referenceOf(schema);
  if ($ref !== undefined)
    return typeof schema.description === 'string' ? { description: schema.description, $ref } : { $ref };
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
  if (schema['x-kubernetes-embedded-resource'] === true && keepsUnknown) dropRequired(out, isEmbeddedType);
  return withoutNullableRequired(out, schema);
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

/** What version 3 adds to an embedded resource, and version 2 not where other fields are kept too. */
const isEmbeddedType = (name: JsonValue): boolean => name === 'kind' || name === 'apiVersion';

function dropRequired(out: JsonObject, isDropped: (name: JsonValue) => boolean): void {
  if (!Array.isArray(out.required)) return;
  const kept = out.required.filter((name) => !isDropped(name));
  if (kept.length === 0) delete out.required;
  else out.required = kept;
}

/** A null has no place in v2, so a field that may be null cannot be required there. */
function withoutNullableRequired(out: JsonObject, { properties, required }: JsonObject): JsonObject {
  if (!Array.isArray(required) || !isObject(properties)) return out;
  dropRequired(out, (name) => {
    const property = properties[name as string];
    return isObject(property) && property.nullable === true;
  });
  return out;
}

/** A component as a definition. One that keeps unknown fields at its root shows nothing but its kind. */
function definitionToV2(schema: JsonObject): JsonObject {
  const kinds = schema[kindExtension];
  if (schema['x-kubernetes-preserve-unknown-fields'] === true && kinds !== undefined) {
    return { type: 'object', [kindExtension]: kinds };
  }
  return schemaToV2(schema);
}

function parameterToV2(parameter: JsonObject): JsonObject {
  const { schema, ...rest } = parameter;
  return isObject(schema) ? { ...rest, ...schema } : rest;
}

function operationToV2(operation: JsonObject): JsonObject {
  const { parameters, requestBody, responses, ...rest } = operation;
  const body = isObject(requestBody) ? requestBody : undefined;
  const content = isObject(body?.content) ? body.content : undefined;
  const written = isObject(responses) ? responses : {};
  return {
    ...rest,
    ...(content ? { consumes: Object.keys(content) } : {}),
    produces: mediaTypes(written),
    parameters: [
      ...(body && content ? [bodyParameter(body, content)] : []),
      ...((parameters ?? []) as JsonObject[]).map(parameterToV2),
    ],
    responses: Object.fromEntries(
      Object.entries(written).map(([code, response]) => [code, responseToV2(response as JsonObject)]),
    ),
  };
}

const mediaTypes = (responses: JsonObject): string[] => [
  ...new Set(
    Object.values(responses).flatMap((response) =>
      Object.keys(((response as JsonObject).content ?? {}) as JsonObject),
    ),
  ),
];

const schemaOf = (content: JsonObject): JsonObject | undefined => {
  const first = Object.values(content)[0];
  return isObject(first) && isObject(first.schema) ? schemaToV2(first.schema) : undefined;
};

function bodyParameter(body: JsonObject, content: JsonObject): JsonObject {
  const schema = schemaOf(content);
  return {
    name: 'body',
    in: 'body',
    ...(body.required === true ? { required: true } : {}),
    ...(schema ? { schema } : {}),
  };
}

function responseToV2({ content, ...rest }: JsonObject): JsonObject {
  const schema = isObject(content) ? schemaOf(content) : undefined;
  return schema ? { ...rest, schema } : rest;
}

function pathToV2(item: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(item).map(([key, value]) => {
      if (key === 'parameters') return [key, (value as JsonObject[]).map(parameterToV2)];
      return [key, isObject(value) ? operationToV2(value) : value];
    }),
  );
}

/** The parts of one document that go into the merged one, by their names. */
export interface V2Parts {
  paths: JsonObject;
  definitions: JsonObject;
}

/** Converts the document of one version. */
export function partsOfV2(document: JsonObject): V2Parts {
  const convert = (members: JsonValue | undefined, each: (value: JsonObject) => JsonObject): JsonObject =>
    Object.fromEntries(
      Object.entries((members ?? {}) as JsonObject).map(([name, value]) => [name, each(value as JsonObject)]),
    );
  const components = isObject(document.components) ? document.components : {};
  return {
    paths: convert(document.paths, pathToV2),
    definitions: convert(components.schemas, definitionToV2),
  };
}

/** What the merged document says beside paths and definitions. */
export const v2Frame: JsonObject = {
  swagger: '2.0',
  info: { title: 'Kubernetes', version: openApiRelease },
  securityDefinitions: { BearerToken: { type: 'apiKey', name: 'authorization', in: 'header' } },
  security: [{ BearerToken: [] }],
};
