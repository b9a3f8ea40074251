import { finish, isObject, type JsonObject, type JsonValue, type Passes, setOwn } from '@annex/machinery';
import { definitionPrefix, parameterPrefix, type Parts, type Swagger } from './swagger.ts';

/**
 * The maximum number of media types of one operation. Version 3 repeats a schema for each of them: without a
 * limit, a megabyte of version 2 could become many gigabytes. API servers name six.
 */
export const maxMediaTypes = 32;

/**
 * Converts a document of version 2 to version 3, as kube-apiserver does for servers without version 3. Throws
 * if the result would be much larger. In passes. Source: `k8s.io/kube-openapi/pkg/openapiconv`.
 */
export function* swaggerToV3(document: Swagger): Passes<JsonObject> {
  const { info, externalDocs, paths, definitions, responses, securityDefinitions, parameters } = document;
  const produces = document.produces ?? [];
  return present({
    openapi: '3.0.0',
    info,
    externalDocs,
    paths: paths && (yield* mapPartsInPasses(paths, pathItemToV3)),
    components: present({
      schemas: definitions && (yield* mapPartsInPasses(definitions, schemaToV3)),
      parameters: parameters && (yield* mapPartsInPasses(parameters, parameterToV3)),
      responses:
        responses && (yield* mapPartsInPasses(responses, (response) => responseToV3(response, produces))),
      securitySchemes:
        securityDefinitions && (yield* mapPartsInPasses(securityDefinitions, securitySchemeToV3)),
    }),
  });
}

const present = (members: Readonly<Record<string, JsonValue | undefined>>): JsonObject =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as JsonObject;

type Convert = (part: JsonObject) => JsonObject;

/** Converts each part; null, which Go decodes as an empty part, is one. */
const mapParts = (parts: Parts, convert: Convert): JsonObject => finish(mapPartsInPasses(parts, convert));

function* mapPartsInPasses(parts: Parts, convert: Convert): Passes<JsonObject> {
  const out: JsonObject = {};
  for (const [name, part] of Object.entries(parts)) {
    yield;
    setOwn(out, name, convert(isObject(part) ? part : {}));
  }
  return out;
}

const pathItemToV3 = (item: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(item).map(([name, member]) => {
      if (Array.isArray(member)) return [name, member.filter(isObject).map(parameterToV3)];
      return [name, isObject(member) && !name.startsWith('x-') ? operationToV3(member) : member];
    }),
  );

function operationToV3(operation: JsonObject): JsonObject {
  const { consumes, produces, schemes: _, parameters, responses, ...rest } = operation;
  const all = itemsOf(parameters);
  const body = all.find(isBody);
  const others = all.filter((parameter) => parameter !== body);
  return present({
    ...rest,
    parameters: others.length > 0 ? others.map(parameterToV3) : undefined,
    requestBody: body && present({ content: contentOf(body.schema, textsOf(consumes)) }),
    responses: isObject(responses)
      ? mapParts(responses as Parts, (response) => responseToV3(response, textsOf(produces)))
      : {},
  });
}

const isBody = ({ name, schema }: JsonObject): boolean => name === 'body' && isObject(schema);
const itemsOf = (value: JsonValue | undefined): JsonObject[] =>
  Array.isArray(value) ? value.filter(isObject) : [];
const textsOf = (value: JsonValue | undefined): string[] => (Array.isArray(value) ? (value as string[]) : []);

function contentOf(schema: JsonValue | undefined, types: readonly string[]): JsonObject | undefined {
  if (!isObject(schema) || types.length === 0) return undefined;
  if (types.length > maxMediaTypes)
    throw new Error(`an operation has more than ${maxMediaTypes} media types`);
  const converted = schemaToV3(schema);
  return Object.fromEntries(types.map((type) => [type, { schema: converted }]));
}

function responseToV3({ schema, headers: _, ...rest }: JsonObject, produces: readonly string[]): JsonObject {
  return present({ ...moved(rest, '#/responses/'), content: contentOf(schema, produces) });
}

function parameterToV3(parameter: JsonObject): JsonObject {
  if (typeof parameter.$ref === 'string') return moved(parameter, parameterPrefix);
  const { type, format, uniqueItems, schema } = parameter;
  const kept = ['name', 'in', 'description', 'required', 'allowEmptyValue'];
  const members = Object.entries(parameter).filter(([name]) => kept.includes(name) || name.startsWith('x-'));
  const own = present({ type, format, uniqueItems });
  return { ...Object.fromEntries(members), schema: isObject(schema) ? schemaToV3(schema) : own };
}

/** Changes references to parts of version 2 into references to components. */
function moved(value: JsonObject, prefix: string): JsonObject {
  const { $ref } = value;
  if (typeof $ref !== 'string') return value;
  return { ...value, $ref: $ref.replace(prefix, prefix.replace('#/', '#/components/')) };
}

const componentPrefix = '#/components/schemas/';
/** The keywords with nested schemas: a schema, a list, or a map. */
const nested = new Set([
  'items',
  'additionalProperties',
  'additionalItems',
  'not',
  'allOf',
  'anyOf',
  'oneOf',
]);
const nestedByName = new Set(['properties', 'patternProperties', 'definitions']);

/**
 * In version 3, a reference has no siblings: a reference with siblings becomes the only part of an `allOf`.
 */
function schemaToV3(schema: JsonObject): JsonObject {
  const out: JsonObject = {};
  for (const [name, member] of Object.entries(schema)) {
    if (name === '$ref') continue;
    if (nestedByName.has(name) && isObject(member)) setOwn(out, name, mapParts(member as Parts, schemaToV3));
    else if (nested.has(name) && isObject(member)) setOwn(out, name, schemaToV3(member));
    else if (nested.has(name) && Array.isArray(member)) setOwn(out, name, itemsOf(member).map(schemaToV3));
    else setOwn(out, name, member);
  }
  const { $ref } = schema;
  if (typeof $ref !== 'string') return out;
  const reference = { $ref: $ref.replace(definitionPrefix, componentPrefix) };
  return Object.keys(out).length === 0 ? reference : { ...out, allOf: [reference] };
}

function securitySchemeToV3({ flow, authorizationUrl, tokenUrl, scopes, ...rest }: JsonObject): JsonObject {
  if (typeof flow !== 'string' || flow === '') return rest;
  return { ...rest, flows: { [flow]: present({ authorizationUrl, tokenUrl, scopes }) } };
}
