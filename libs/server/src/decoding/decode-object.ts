import { loadProtobuf } from '@annex/kinds';
import type { Buffer } from 'node:buffer';
import {
  type JsonObject,
  type JsonValue,
  type KubeObject,
  badRequest,
  findDuplicateFields,
  findDuplicateFieldsInPasses,
  finish,
  finishInSlices,
  finishSoon,
  strictErrorsInOrder,
  groupVersion,
  isObject,
  jsonTypeName,
  parseGroupVersion,
  parseJson,
  type Passes,
  StatusError,
} from '@annex/machinery';
import { decodeErrorOf, type Decoding, type ObjectSchema, pruneFields } from '@annex/schema';
import { unknownFormat } from './media-type.ts';
import {
  maxBodyContainers,
  requireTextLimits,
  requireTextLimitsInPasses,
  slicedBodyBytes,
  requireValueLimits,
} from './body-limits.ts';
import { AbortedHandler } from '@annex/http';
import { parseInSlices, pause } from '../large-objects.ts';
import { coerceMeta, metaError, removeEmptyFields } from './coerce-meta.ts';
import { notMarshalable } from '../encoding/negotiation.ts';
import { checkBuiltinType, type ExpectedType, untypedText } from './object-type.ts';
import { readYaml } from './yaml-thread.ts';

/** The expected type of a body, and its schema. */
export interface Expected extends ExpectedType {
  /** Objects of Go types may omit kind and apiVersion; others must name them. */
  typed: boolean;
  schema: ObjectSchema;
  /** The schema of another version of the kind. */
  schemaIn?(version: string): ObjectSchema | undefined;
  /** Duplicate and unknown fields are ignored. kube-apiserver then reads custom resources with another decoder. */
  ignoresFields?: boolean;
}

export interface Decoded {
  object: KubeObject;
  /** Errors for duplicate and unknown fields: kube-apiserver's messages in kube-apiserver's order. */
  strict: string[];
}

/** The maximum number of duplicate and unknown fields that kube-apiserver's decoder reports for a Go type. */
export const maxStrictErrors = 100;

const protobufType = 'application/vnd.kubernetes.protobuf';
const objectTypes = ['application/json', 'application/yaml', protobufType];

/**
 * A body that cannot be decoded, with the message of kube-apiserver's serializers. The caller adds the
 * expected type.
 */
export class DecodingError extends Error {}

const isJson = (type: string): boolean => type === 'application/json' || type === '';

/** Throws 415 for a media type that is not an encoding of objects. */
export function requireObjectType(type: string): void {
  if (type !== '' && !objectTypes.includes(type)) throw unknownFormat(objectTypes);
}

/** Parses the body of an object in one of the three encodings. Throws DecodingError, and 415. */
export async function parseBody(body: Buffer, type: string): Promise<ParsedObject> {
  if (isJson(type)) return checkedType(parseJsonBody(body));
  switch (type) {
    case 'application/yaml':
      return checkedType(await parseYamlBody(body));
    case protobufType: {
      const { decodeProtobuf } = await loadProtobuf();
      return { value: decodeProtobuf(body) as unknown as JsonObject, duplicates: [] };
    }
    default:
      throw unknownFormat(objectTypes);
  }
}

interface Parsed {
  value: JsonValue;
  duplicates: string[];
}

interface ParsedObject extends Parsed {
  value: JsonObject;
}

function parseJsonBody(body: Buffer): Parsed {
  const text = body.toString();
  try {
    requireTextLimits(text);
    const value = parseJson(text);
    return { value, duplicates: findDuplicateFields(text, value) };
  } catch (error) {
    throw jsonError(error);
  }
}

/** The same for a large body: other requests are served between the passes. */
async function parseJsonBodyInSlices(body: Buffer): Promise<Parsed> {
  await pause();
  const text = body.toString();
  try {
    await finishInSlices(requireTextLimitsInPasses(text), pause);
    await pause();
    const value = await parseInSlices(text);
    await pause();
    const duplicates = await finishInSlices(findDuplicateFieldsInPasses(text, value), pause);
    await pause();
    return { value, duplicates };
  } catch (error) {
    throw jsonError(error);
  }
}

const jsonError = (error: unknown): Error =>
  error instanceof StatusError
    ? error
    : new DecodingError(noTypeText(error instanceof Error ? error.message : String(error)));

async function parseYamlBody(body: Buffer): Promise<Parsed> {
  try {
    const parsed = await readYaml(body.toString());
    await pause();
    return parsed;
  } catch (error) {
    if (error instanceof StatusError) throw error;
    throw new DecodingError(error instanceof Error ? error.message : String(error));
  }
}

const noTypeText = (why: string): string => `couldn't get version/kind; json parse error: ${why}`;

const namingFields = ['apiVersion', 'kind'] as const;

/**
 * Returns kube-apiserver's error message for an invalid kind or apiVersion; `undefined` if both are valid or
 * absent.
 */
export function invalidTypeError(value: JsonObject): string | undefined {
  for (const field of namingFields) {
    const named = value[field] ?? '';
    if (typeof named === 'string') continue;
    const type = jsonTypeName(named);
    return noTypeText(`json: cannot unmarshal ${type} into Go struct field .${field} of type string`);
  }
  const version = String(value.apiVersion ?? '');
  const isOne = version.indexOf('/') === version.lastIndexOf('/');
  return isOne ? undefined : `unexpected GroupVersion string: ${version}`;
}

/** Checks kind and apiVersion of a parsed object. Null is an empty object. */
function checkedType({ value, duplicates }: Parsed): ParsedObject {
  if (value === null) return { value: {}, duplicates };
  if (!isObject(value)) {
    throw new DecodingError(untypedText(value));
  }
  const misnamed = invalidTypeError(value);
  if (misnamed !== undefined) throw new DecodingError(misnamed);
  return { value, duplicates };
}

/**
 * Decodes a whole object: parses it, checks it against the type of the URL, and prunes it by its schema.
 * Throws 400, 415 and 422 with kube-apiserver's messages. JSON is decoded synchronously, unless it is large.
 */
export function decodeObject(body: Buffer, type: string, expected: Expected): Decoded | Promise<Decoded> {
  if (isJson(type) && body.length < slicedBodyBytes) {
    try {
      return finish(decodeParsed(checkedType(parseJsonBody(body)), body, type, expected));
    } catch (error) {
      throw refusal(error, expected, body);
    }
  }
  if (type !== protobufType) {
    return (isJson(type) ? parseJsonBodyInSlices(body).then(checkedType) : parseBody(body, type)).then(
      (parsed) => finishSoon(decodeParsed(parsed, body, type, expected), pause),
      (error: unknown) => {
        throw refusal(error, expected, body);
      },
    );
  }
  if (!expected.typed) throw new AbortedHandler(`${expected.kind} cannot be read from protobuf`);
  return decodeProtobufObject(body, expected);
}

const refusal = (error: unknown, expected: Expected, body: Buffer): unknown =>
  error instanceof DecodingError ? unrecognized(expected, error.message, body) : error;

function* decodeParsed(
  { value, duplicates }: ParsedObject,
  body: Buffer,
  type: string,
  expected: Expected,
): Passes<Decoded> {
  if (!expected.typed) {
    if (!value.kind) throw unnamedKind(expected, body);
    return yield* coerceInPasses(value, { ...expected, schema: schemaOf(value, expected) }, duplicates, type);
  }
  checkBuiltinType(value, expected);
  return yield* coerceInPasses(value, expected, duplicates, type, body);
}

function unnamedKind(expected: Expected, body: Buffer): StatusError {
  const why = `Object 'Kind' is missing in '${body.toString()}'`;
  return expected.ignoresFields === true ? cannotHandle(expected, why) : unrecognized(expected, why, body);
}

/**
 * Returns the schema of the type that a custom resource names. It may be another version of the kind, or not
 * a version at all.
 */
export function schemaOf(value: JsonObject, expected: Expected): Decoding {
  const { group, version } = parseGroupVersion(String(value.apiVersion ?? ''));
  if (group !== expected.group || value.kind !== expected.kind) return { prune: () => [] };
  if (version === expected.version) return expected.schema;
  return expected.schemaIn?.(version) ?? { prune: pruneUnspecified };
}

const typeFields = ['apiVersion', 'kind', 'metadata'];

function pruneUnspecified(object: JsonObject): string[] {
  const unknown = Object.keys(object).filter((field) => !typeFields.includes(field));
  for (const field of unknown) delete object[field];
  return unknown.sort();
}

/** The bytes of the tag and the length of an empty message. */
const emptyMessageBytes = 2;

/** Decodes an object of a built-in kind. The type of the URL applies if the envelope names none. */
async function decodeProtobufObject(body: Buffer, expected: Expected): Promise<Decoded> {
  const { decodeEnvelopeInPasses, readEnvelope } = await loadProtobuf();
  const { raw, ...type } = convertError(
    () => readEnvelope(body),
    (why) => unrecognized(expected, why, body),
  );
  checkBuiltinType(type, expected);
  const apiVersion = groupVersion(expected);
  const decoding = finishInSlices(decodeEnvelopeInPasses({ apiVersion, kind: expected.kind, raw }), pause);
  const object = await decoding.catch((error: unknown) => {
    throw error instanceof SyntaxError ? cannotHandle(expected, error.message) : error;
  });
  if (object === undefined) {
    throw cannotHandle(expected, notMarshalable({ apiVersion, kind: expected.kind }));
  }
  if (body.length >= emptyMessageBytes * maxBodyContainers) {
    await requireValueLimits(object as unknown as JsonObject);
  }
  return finishSoon(coerceInPasses(object as unknown as JsonObject, expected), pause);
}

/** Runs a reader and converts its error to a response. */
function convertError<T>(read: () => T, response: (why: string) => Error): T {
  try {
    return read();
  } catch (error) {
    throw error instanceof SyntaxError ? response(error.message) : error;
  }
}

const unrecognized = (expected: Expected, why: string, body: Buffer) =>
  badRequest(
    `the object provided is unrecognized (must be of type ${expected.kind}): ${why} (${hexSummary(body)})`,
  );

function hexSummary(body: Buffer): string {
  if (body.length === 0) return '<empty>';
  const isText = body[0] === 0x7b;
  return body.toString(isText ? 'utf8' : 'hex', 0, 30) + (body.length > 30 ? ' ...' : '');
}

type Coerced = Omit<Expected, 'schema'> & { schema: Pick<ObjectSchema, 'fits'> & Decoding };

/**
 * Creates an object of this kind from parsed JSON: coerces metadata, removes unknown fields and reports their
 * names.
 */
export const coerce = (value: JsonObject, expected: Coerced): Decoded =>
  finish(coerceInPasses(value, expected));

/** The same for an object that may be large, in passes over the whole object. V8 lists the names of one with very many in 10 ms, in each of them. */
export function* coerceInPasses(
  value: JsonObject,
  expected: Coerced,
  duplicates: readonly string[] = [],
  type = '',
  body?: Buffer,
): Passes<Decoded> {
  if (duplicates.length === 0 && expected.typed && expected.schema.fits?.(value)) return decoded(value, []);
  yield;
  const { typed, schema } = expected;
  const invalidType = (typed ? undefined : yield* metaError(value)) ?? (yield* decodeErrorOf(schema, value));
  if (invalidType !== undefined) throw cannotHandle(expected, invalidType, value);
  yield;
  const unknownInMeta = typed ? [] : coerceMeta(value);
  const unknown = [...unknownInMeta, ...(yield* pruneFields(schema, value))];
  // Go reads YAML as JSON with sorted keys, and stops counting at a hundred.
  if (type === 'application/yaml' && expected.typed) unknown.sort();
  // Go decodes JSON of built-in kinds in one pass.
  const inOnePass = body !== undefined && duplicates.length > 0 && unknown.length > 0 && isJson(type);
  const all = inOnePass
    ? yield* strictErrorsInOrder(body.toString(), unknown)
    : [...duplicates, ...unknown.map((path) => `unknown field "${path}"`)];
  return decoded(value, expected.typed ? all.slice(0, maxStrictErrors) : all);
}

function decoded(value: JsonObject, strict: string[]): Decoded {
  value.metadata ??= {};
  removeEmptyFields(value.metadata);
  return { object: value as unknown as KubeObject, strict };
}

/** The error for an object that cannot be decoded names the type in the object, if there is one. */
function cannotHandle(expected: ExpectedType, why: string, named: JsonObject = {}) {
  const { kind, apiVersion } = { kind: expected.kind, apiVersion: groupVersion(expected), ...named };
  const { version } = parseGroupVersion(String(apiVersion ?? ''));
  return badRequest(
    `${String(kind)} in version ${JSON.stringify(version)} cannot be handled as a ${expected.kind}: ${why}`,
  );
}
