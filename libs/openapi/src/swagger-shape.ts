import { countParts, getOwn, isObject, type JsonObject, type JsonValue, type Passes } from '@annex/machinery';

/** Returns whether a Go program could decode the value as this type. */
type Shape = (value: JsonValue) => boolean;

const text: Shape = (value) => typeof value === 'string';
const flag: Shape = (value) => typeof value === 'boolean';
const number: Shape = (value) => typeof value === 'number' || typeof value === 'bigint';
const list: Shape = (value) => Array.isArray(value);
const object: Shape = isObject;
const listOf =
  (shape: Shape): Shape =>
  (value) =>
    Array.isArray(value) && value.every(shape);
const mapOf =
  (shape: Shape): Shape =>
  (value) =>
    isObject(value) && Object.values(value).every(shape);
const either =
  (...shapes: Shape[]): Shape =>
  (value) =>
    shapes.some((shape) => shape(value));

/** Null members are absent; members outside of the table have any type. */
const record =
  (members: () => Readonly<Record<string, Shape>>): Shape =>
  (value) => {
    if (!isObject(value)) return false;
    const shapes = members();
    return Object.entries(value).every(
      ([name, member]) => member === null || !Object.hasOwn(shapes, name) || shapes[name]?.(member) === true,
    );
  };

// The members are those of `k8s.io/kube-openapi/pkg/validation/spec`.
const schema: Shape = record(() => schemaMembers);
const schemaMembers = {
  $ref: text,
  description: text,
  type: either(text, listOf(text)),
  format: text,
  title: text,
  nullable: flag,
  readOnly: flag,
  maximum: number,
  exclusiveMaximum: flag,
  minimum: number,
  exclusiveMinimum: flag,
  maxLength: number,
  minLength: number,
  pattern: text,
  maxItems: number,
  minItems: number,
  uniqueItems: flag,
  multipleOf: number,
  enum: list,
  maxProperties: number,
  minProperties: number,
  required: listOf(text),
  items: either(schema, listOf(schema)),
  allOf: listOf(schema),
  oneOf: listOf(schema),
  anyOf: listOf(schema),
  not: schema,
  properties: mapOf(schema),
  additionalProperties: either(flag, schema),
  patternProperties: mapOf(schema),
  additionalItems: either(flag, schema),
  definitions: mapOf(schema),
};

const parameterMembers = {
  $ref: text,
  name: text,
  in: text,
  description: text,
  required: flag,
  allowEmptyValue: flag,
  type: text,
  format: text,
  uniqueItems: flag,
  items: object,
  schema,
};
const parameter = record(() => parameterMembers);

const responseMembers = { $ref: text, description: text, schema, headers: object };
const response = record(() => responseMembers);

const operationMembers = {
  tags: listOf(text),
  summary: text,
  description: text,
  operationId: text,
  consumes: listOf(text),
  produces: listOf(text),
  schemes: listOf(text),
  deprecated: flag,
  parameters: listOf(parameter),
  responses: mapOf(response),
};
const operation = record(() => operationMembers);

const pathItemMembers = {
  $ref: text,
  get: operation,
  put: operation,
  post: operation,
  delete: operation,
  options: operation,
  head: operation,
  patch: operation,
  parameters: listOf(parameter),
};

const documentMembers = {
  swagger: text,
  info: object,
  externalDocs: object,
  produces: listOf(text),
};

/** The sections, each with the shape of its parts. */
const sections = {
  paths: record(() => pathItemMembers),
  definitions: schema,
  parameters: parameter,
  responses: response,
  securityDefinitions: object,
};

/**
 * Maximum number of members and items of one path, definition or other part: each of them is read in one pass.
 * kube-apiserver has no limit.
 */
export const maxDocumentParts = 20_000;

/** Returns whether a value is an OpenAPI document of version 2 with members of valid types, in passes. Throws for a part that is too large. */
export function* isSwagger(value: JsonValue): Passes<boolean> {
  if (!record(() => documentMembers)(value)) return false;
  for (const [section, isPart] of Object.entries(sections)) {
    const parts = getOwn(value as JsonObject, section) ?? {};
    if (!isObject(parts)) return false;
    for (const [name, part] of Object.entries(parts)) {
      yield;
      if (countParts(part, maxDocumentParts) > maxDocumentParts)
        throw new Error(
          `${section} ${JSON.stringify(name.slice(0, 100))} has more than ${maxDocumentParts} members`,
        );
      if (!isPart(part)) return false;
    }
  }
  return true;
}
