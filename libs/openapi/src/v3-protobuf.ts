import type { Buffer } from 'node:buffer';
import { isObject, type JsonObject } from '@annex/machinery';
import {
  any,
  bool,
  double,
  integer,
  type Member,
  type Members,
  messages,
  named,
  record,
  text,
  texts,
} from './protobuf-members.ts';
import { ProtobufWriter } from './protobuf-writer.ts';

/** Writes a message field. */
const message =
  (field: number, write: Member): Member =>
  (out, value) =>
    void out.message(field, (inner) => write(inner, value));

/** Writes an object or a reference to it. */
const orReference =
  (write: Member): Member =>
  (out, value) => {
    const $ref = isObject(value) ? value.$ref : undefined;
    if (typeof $ref === 'string') out.message(2, (reference) => reference.text(1, $ref));
    else out.message(1, (inner) => write(inner, value));
  };

// Field numbers are those of github.com/google/gnostic-models/openapiv3/OpenAPIv3.proto.
const schema: Member = record(() => schemaMembers, 36);
const schemaOrReference = orReference(schema);
const schemaMembers: Members = {
  nullable: bool(1),
  example: message(7, any),
  deprecated: bool(8),
  title: text(9),
  multipleOf: double(10),
  maximum: double(11),
  exclusiveMaximum: bool(12),
  minimum: double(13),
  exclusiveMinimum: bool(14),
  maxLength: integer(15),
  minLength: integer(16),
  pattern: text(17),
  maxItems: integer(18),
  minItems: integer(19),
  uniqueItems: bool(20),
  maxProperties: integer(21),
  minProperties: integer(22),
  required: texts(23),
  enum: messages(24, any),
  type: text(25),
  allOf: messages(26, schemaOrReference),
  oneOf: messages(27, schemaOrReference),
  anyOf: messages(28, schemaOrReference),
  not: message(29, schema),
  items: message(30, messages(1, schemaOrReference)),
  properties: message(31, named(1, schemaOrReference)),
  additionalProperties: message(32, (out, value) =>
    isObject(value) ? messages(1, schemaOrReference)(out, value) : void out.bool(2, value === true),
  ),
  default: message(33, (out, value) => {
    // The message has no field for lists and objects.
    if (typeof value === 'number' || typeof value === 'bigint') out.double(1, Number(value));
    else if (typeof value === 'boolean') out.bool(2, value);
    else if (typeof value === 'string') out.text(3, value);
  }),
  description: text(34),
  format: text(35),
};

const mediaTypes = named(
  1,
  record(() => ({ schema: message(1, schemaOrReference) }), 5),
);

const parameter = record(
  () => ({
    name: text(1),
    in: text(2),
    description: text(3),
    required: bool(4),
    deprecated: bool(5),
    allowEmptyValue: bool(6),
    schema: message(10, schemaOrReference),
    content: message(13, mediaTypes),
  }),
  14,
);

const requestBody = record(
  () => ({ description: text(1), content: message(2, mediaTypes), required: bool(3) }),
  4,
);

const response = record(() => ({ description: text(1), content: message(3, mediaTypes) }), 5);

const responses: Member = (out, value) => {
  const { default: other, ...codes } = value as JsonObject;
  if (other !== undefined) message(1, orReference(response))(out, other);
  named(2, orReference(response))(out, codes);
};

const operation = record(
  () => ({
    tags: texts(1),
    summary: text(2),
    description: text(3),
    operationId: text(5),
    parameters: messages(6, orReference(parameter)),
    requestBody: message(7, orReference(requestBody)),
    responses: message(8, responses),
    deprecated: bool(10),
  }),
  13,
);

const pathItem = record(
  () => ({
    $ref: text(1),
    summary: text(2),
    description: text(3),
    get: message(4, operation),
    put: message(5, operation),
    post: message(6, operation),
    delete: message(7, operation),
    options: message(8, operation),
    head: message(9, operation),
    patch: message(10, operation),
    parameters: messages(13, orReference(parameter)),
  }),
  14,
);

const securityScheme = record(
  () => ({ type: text(1), description: text(2), name: text(3), in: text(4), scheme: text(5) }),
  9,
);

const components = record(
  () => ({
    schemas: message(1, named(1, schemaOrReference)),
    securitySchemes: message(7, named(1, orReference(securityScheme))),
  }),
  10,
);

const info = record(() => ({ title: text(1), description: text(2), version: text(6) }), 7);

const document = record(
  () => ({
    openapi: text(1),
    info: message(2, info),
    paths: message(4, named(1, pathItem)),
    components: message(5, components),
  }),
  9,
);

/** Encodes an OpenAPI v3 document in the protobuf form that kubectl reads. */
export function encodeOpenApiV3(value: JsonObject): Buffer {
  const out = new ProtobufWriter();
  document(out, value);
  return out.finish();
}
