import {
  badRequest,
  finish,
  hasManyParts,
  isObject,
  type JsonObject,
  type JsonValue,
  type KubeObject,
  type Passes,
  setAllOwn,
  stringifyJson,
} from '@annex/machinery';
import protobuf from 'protobufjs/minimal.js';
import { decodeMessage, decodeMessageInPasses, hasEnvelope, skip } from './decode.ts';
import { encodeMessage } from './encode.ts';
import { encodeMessageInPasses } from './encode-in-passes.ts';
import { messageOf, messageOfKind } from './messages.ts';

const magic = Buffer.from('k8s\0');
const typeMeta = 'k8s.io.apimachinery.pkg.runtime.TypeMeta';
const meta = 'k8s.io.apimachinery.pkg.apis.meta.v1';

/** `runtime.Unknown`: the type of an object and its bytes. */
export interface Envelope {
  apiVersion: string;
  kind: string;
  raw: Buffer;
}

/**
 * Reads the envelope of a body of `application/vnd.kubernetes.protobuf`. Throws SyntaxError with
 * kube-apiserver's message.
 */
export function readEnvelope(body: Buffer): Envelope {
  if (body.length === 0) throw new SyntaxError('empty data');
  if (!hasEnvelope(body)) {
    throw new SyntaxError(
      'provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]',
    );
  }
  if (body.length === magic.length) throw new SyntaxError('empty body');
  const envelope: Envelope = { apiVersion: '', kind: '', raw: Buffer.alloc(0) };
  const reader = protobuf.Reader.create(body.subarray(magic.length));
  try {
    while (reader.pos < reader.len) {
      const tag = reader.tag();
      if (tag === 10) setAllOwn(envelope, decodeAs(typeMeta, reader.bytes()) as JsonObject);
      else if (tag === 18) envelope.raw = Buffer.from(reader.bytes());
      else skip(reader, tag, 'Unknown');
    }
  } catch (error) {
    throw goError(error);
  }
  return envelope;
}

/**
 * Decodes the object of an envelope; `undefined` if the kind has no protobuf form. Throws SyntaxError with
 * Go's message.
 */
export const decodeEnvelope = (envelope: Envelope): KubeObject | undefined =>
  finish(
    decoded(envelope, function* (reader, name) {
      return decodeMessage(reader, reader.len, name, decodeEmbedded);
    }),
  );

/** The same for a body of a client, in passes if the object is large. Throws 413 for a map of too many entries. */
export const decodeEnvelopeInPasses = (envelope: Envelope): Passes<KubeObject | undefined> =>
  decoded(envelope, (reader, name) => decodeMessageInPasses(reader, reader.len, name, decodeEmbedded));

function* decoded(
  { apiVersion, kind, raw }: Envelope,
  decode: (reader: protobuf.Reader, name: string) => Passes<JsonValue | undefined>,
): Passes<KubeObject | undefined> {
  const name = messageOfKind(apiVersion, kind);
  if (name === undefined) return undefined;
  const reader = protobuf.Reader.create(raw);
  let fields: JsonObject;
  try {
    fields = ((yield* decode(reader, name)) ?? {}) as JsonObject;
  } catch (error) {
    throw goError(error);
  }
  const hasMetadata = messageOf(name).fields.some(({ json }) => json === 'metadata');
  return {
    kind,
    apiVersion,
    ...fields,
    ...(hasMetadata ? { metadata: fields.metadata ?? {} } : {}),
  } as KubeObject;
}

/** Decodes a whole body of any kind. Throws BadRequest if its kind has no protobuf form. */
export function decodeProtobuf(body: Buffer): KubeObject {
  try {
    const envelope = readEnvelope(body);
    const { apiVersion, kind } = envelope;
    const object = decodeEnvelope(envelope);
    if (object !== undefined) return object;
    throw badRequest(
      `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)} in scheme "pkg/runtime/scheme.go:111"`,
    );
  } catch (error) {
    throw error instanceof SyntaxError ? badRequest(error.message) : error;
  }
}

const goErrors: readonly (readonly [library: string, go: string])[] = [
  ['invalid length', 'proto: negative length found during unmarshaling'],
  ['invalid wire type', 'proto: illegal wireType'],
  ['illegal tag', 'proto: illegal tag 0'],
  ['max depth exceeded', 'the message is nested too deeply'],
  ['invalid', 'proto: integer overflow'],
];

/** Converts the library's errors for truncated or endless bytes to Go's errors; returns others unchanged. */
function goError(error: unknown): unknown {
  if (error instanceof RangeError) return new SyntaxError('unexpected EOF', { cause: error });
  const why = error instanceof Error ? goErrors.find(([said]) => error.message.startsWith(said)) : undefined;
  return why === undefined ? error : new SyntaxError(why[1], { cause: error });
}

function decodeAs(name: string, bytes: Uint8Array): JsonValue {
  const reader = protobuf.Reader.create(bytes);
  return decodeMessage(reader, reader.len, name, decodeEmbedded) ?? {};
}

const decodeEmbedded = (raw: Buffer): JsonValue => decodeProtobuf(raw) as unknown as JsonValue;

/** Encodes an object for `application/vnd.kubernetes.protobuf`; `undefined` if its kind has no protobuf form. */
export const encodeProtobuf = (object: Readonly<Record<string, unknown>>): Buffer | undefined =>
  finish(encodeProtobufInPasses(object));

/** The same, in passes if the object is large. */
export function* encodeProtobufInPasses(
  object: Readonly<Record<string, unknown>>,
): Passes<Buffer | undefined> {
  const { apiVersion = '', kind } = object;
  if (typeof apiVersion !== 'string' || typeof kind !== 'string') return undefined;
  const name = messageOfKind(apiVersion, kind);
  if (name === undefined) return undefined;
  const message = yield* encodeValue(name, object as JsonObject);
  return Buffer.concat(inEnvelope(apiVersion, kind, [message]));
}

/** Encodes a message, in passes if it is large. */
export function* encodeValue(name: string, json: JsonObject): Passes<Uint8Array> {
  if (hasManyParts(json)) return yield* encodeMessageInPasses(name, json, encodeRaw);
  const writer = protobuf.Writer.create();
  encodeMessage(writer, name, json, encodeRaw);
  return writer.finish();
}

/** Wraps the pieces of a message in the envelope with its type. */
export function inEnvelope(apiVersion: string, kind: string, message: readonly Uint8Array[]): Uint8Array[] {
  const head = protobuf.Writer.create();
  head.uint32(10).fork();
  encodeMessage(head, typeMeta, { apiVersion, kind }, encodeRaw);
  head
    .ldelim()
    .uint32(18)
    .uint32(message.reduce((length, piece) => length + piece.length, 0));
  const tail = protobuf.Writer.create().uint32(26).string('').uint32(34).string('');
  return [magic, head.finish(), ...message, tail.finish()];
}

/**
 * Embedded objects are encoded as JSON: objects of built-in kinds in an envelope would need a type that they
 * may not have.
 */
export const encodeRaw = (value: JsonValue): Uint8Array => Buffer.from(stringifyJson(value));

/**
 * Encodes one event of a watch in `application/vnd.kubernetes.protobuf;stream=watch`: its length in four
 * bytes, and the event.
 */
export function encodeWatchFrame(type: string, object: Buffer): Buffer {
  const writer = protobuf.Writer.create();
  writer.uint32(10).string(type);
  writer.uint32(18).fork().uint32(10).bytes(object).ldelim();
  const event = writer.finish();
  const frame = Buffer.allocUnsafe(4 + event.length);
  frame.writeUInt32BE(event.length);
  frame.set(event, 4);
  return frame;
}

/** Decodes the type and object of a watch frame without its length. */
export function decodeWatchEvent(frame: Buffer): { type: string; object: KubeObject } {
  const event = decodeAs(`${meta}.WatchEvent`, frame);
  if (!isObject(event)) throw badRequest('the frame holds no event');
  return event as unknown as { type: string; object: KubeObject };
}
