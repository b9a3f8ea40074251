import type { Buffer } from 'node:buffer';
import { isObject, type JsonObject, type JsonValue, tableOf } from '@annex/machinery';
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
import { type FieldWriter, ProtobufWriter } from './protobuf-writer.ts';

// Field numbers are those of github.com/google/gnostic-models/openapiv2/OpenAPIv2.proto.
const schema: Member = record(() => schemaMembers, 31);
const schemaMembers: Members = {
  $ref: text(1),
  format: text(2),
  title: text(3),
  description: text(4),
  default: messages(5, any),
  multipleOf: double(6),
  maximum: double(7),
  exclusiveMaximum: bool(8),
  minimum: double(9),
  exclusiveMinimum: bool(10),
  maxLength: integer(11),
  minLength: integer(12),
  pattern: text(13),
  maxItems: integer(14),
  minItems: integer(15),
  uniqueItems: bool(16),
  maxProperties: integer(17),
  minProperties: integer(18),
  required: texts(19),
  enum: messages(20, any),
  additionalProperties: messages(21, (out, value) =>
    isObject(value) ? void out.message(1, (inner) => schema(inner, value)) : void out.bool(2, value === true),
  ),
  type: (out, value) => void out.message(22, (inner) => texts(1)(inner, value)),
  items: (out, value) => void out.message(23, messages1(schema, value)),
  properties: (out, value) => void out.message(25, (inner) => named(1, schema)(inner, value)),
};

/** The only field of a wrapper message. */
function messages1(write: Member, value: JsonValue): (out: FieldWriter) => void {
  return (out) => messages(1, write)(out, value);
}

const bodyParameter = record(
  () => ({
    description: text(1),
    name: text(2),
    in: text(3),
    required: bool(4),
    schema: messages(5, schema),
  }),
  6,
);

/** Parameters that are not a body: the same members, but the field numbers depend on the location. */
const plainParameter = (shift: number, extensions: number) =>
  record(
    () => ({
      required: bool(1),
      in: text(2),
      description: text(3),
      name: text(4),
      type: text(5 + shift),
      format: text(6 + shift),
      uniqueItems: bool(19 + shift),
    }),
    extensions,
  );
const parameterPlaces = tableOf<{ field: number; write: Member }>({
  header: { field: 1, write: plainParameter(0, 22) },
  query: { field: 3, write: plainParameter(1, 23) },
  path: { field: 4, write: plainParameter(0, 22) },
});

const parameter: Member = (choice, value) => {
  const { in: place = '' } = value as { in?: string };
  if (place === 'body') choice.message(1, (inner) => bodyParameter(inner, value));
  const plain = parameterPlaces.get(place);
  if (plain)
    choice.message(2, (inner) => inner.message(plain.field, (innermost) => plain.write(innermost, value)));
};

/** A parameter of an operation, or a reference to one of the document. */
const parameterOrReference: Member = (out, value) => {
  const { $ref } = value as { $ref?: string | null };
  if (typeof $ref !== 'string') out.message(1, (choice) => parameter(choice, value));
  else out.message(2, (reference) => reference.text(1, $ref));
};

const response = record(
  () => ({ description: text(1), schema: (out, value) => void out.message(2, messages1(schema, value)) }),
  5,
);

const operation = record(
  () => ({
    tags: texts(1),
    summary: text(2),
    description: text(3),
    operationId: text(5),
    produces: texts(6),
    consumes: texts(7),
    parameters: messages(8, parameterOrReference),
    responses: (out, value) =>
      void out.message(9, (inner) =>
        named(1, (choice, one) => messages(1, response)(choice, one))(inner, value),
      ),
    schemes: texts(10),
    deprecated: bool(11),
  }),
  13,
);

const pathItem = record(
  () => ({
    $ref: text(1),
    get: messages(2, operation),
    put: messages(3, operation),
    post: messages(4, operation),
    delete: messages(5, operation),
    options: messages(6, operation),
    head: messages(7, operation),
    patch: messages(8, operation),
    parameters: messages(9, parameterOrReference),
  }),
  10,
);

const info = record(() => ({ title: text(1), version: text(2), description: text(3) }), 7);
const apiKey = record(() => ({ type: text(1), name: text(2), in: text(3), description: text(4) }), 5);

const document = record(
  () => ({
    swagger: text(1),
    info: messages(2, info),
    paths: (out, value) => void out.message(8, (inner) => named(2, pathItem)(inner, value)),
    definitions: (out, value) => void out.message(9, (inner) => named(1, schema)(inner, value)),
    parameters: (out, value) => void out.message(10, (inner) => named(1, parameter)(inner, value)),
    security: messages(
      12,
      named(1, (out, value) => texts(1)(out, value)),
    ),
    securityDefinitions: (out, value) =>
      void out.message(13, (inner) =>
        named(1, (choice, one) => messages(2, apiKey)(choice, one))(inner, value),
      ),
  }),
  16,
);

/** Writes an OpenAPI v2 document in the protobuf form that kubectl reads. */
export const writeOpenApiV2: (out: FieldWriter, value: JsonObject) => void = document;

/** Encodes a document in that form. */
export function encodeOpenApiV2(value: JsonObject): Buffer {
  const out = new ProtobufWriter();
  writeOpenApiV2(out, value);
  return out.finish();
}
