import {
  badRequest,
  isObject,
  type JsonObject,
  type JsonValue,
  type KubeObject,
  stringifyJson,
} from '@annex/machinery';
import protobuf from 'protobufjs/minimal.js';
import { decodeMessage, hasEnvelope } from './decode.ts';
import { encodeMessage } from './encode.ts';
import { messageOfKind } from './messages.ts';

const magic = Buffer.from('k8s\0');
const typeMeta = 'k8s.io.apimachinery.pkg.runtime.TypeMeta';
const watchEvent = 'k8s.io.apimachinery.pkg.apis.meta.v1.WatchEvent';

/**
 * Decodes a body of `application/vnd.kubernetes.protobuf`: the envelope that names the kind, and in it the object.
 * Throws BadRequest where it is not one of a kind that has a protobuf form.
 */
export function decodeProtobuf(body: Buffer): KubeObject {
  if (!hasEnvelope(body)) {
    throw badRequest(
      'provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]',
    );
  }
  try {
    return decodeEnvelope(body.subarray(magic.length));
  } catch (error) {
    if (error instanceof RangeError || error instanceof SyntaxError)
      throw badRequest(`unable to decode: ${error.message}`);
    throw error;
  }
}

function decodeEnvelope(bytes: Buffer): KubeObject {
  const { apiVersion, kind, raw, contentType } = readEnvelope(protobuf.Reader.create(bytes));
  if (contentType === 'application/json') return JSON.parse(raw.toString()) as KubeObject;
  const name = messageOfKind(apiVersion, kind);
  if (name === undefined) {
    throw badRequest(
      `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)} in scheme "pkg/api/legacyscheme/scheme.go:30"`,
    );
  }
  const object = decodeAs(name, raw) as JsonObject;
  return { kind, apiVersion, ...object, metadata: (object.metadata ?? {}) as KubeObject['metadata'] };
}

/** `runtime.Unknown`: the type of an object beside the bytes of it. */
interface Envelope {
  apiVersion: string;
  kind: string;
  raw: Buffer;
  contentType: string;
}

function readEnvelope(reader: protobuf.Reader): Envelope {
  const envelope: Envelope = { apiVersion: '', kind: '', raw: Buffer.alloc(0), contentType: '' };
  while (reader.pos < reader.len) {
    const tag = reader.uint32();
    if (tag === 10) Object.assign(envelope, decodeAs(typeMeta, reader.bytes()));
    else if (tag === 18) envelope.raw = Buffer.from(reader.bytes());
    else if (tag === 34) envelope.contentType = reader.string();
    else reader.skipType(tag & 7);
  }
  return envelope;
}

function decodeAs(name: string, bytes: Uint8Array): JsonValue {
  const reader = protobuf.Reader.create(bytes);
  return decodeMessage(reader, reader.len, name, (raw) => decodeProtobuf(raw) as unknown as JsonValue) ?? {};
}

/** Encodes an object for `application/vnd.kubernetes.protobuf`; `undefined` where its kind has no protobuf form. */
export function encodeProtobuf(object: Readonly<Record<string, unknown>>): Buffer | undefined {
  const { apiVersion, kind } = object;
  if (typeof apiVersion !== 'string' || typeof kind !== 'string') return undefined;
  const name = messageOfKind(apiVersion, kind);
  if (name === undefined) return undefined;
  const writer = protobuf.Writer.create();
  writer.uint32(10).fork();
  encodeMessage(writer, typeMeta, { apiVersion, kind }, encodeRaw);
  writer.ldelim().uint32(18).fork();
  encodeMessage(writer, name, object as JsonObject, encodeRaw);
  writer.ldelim().uint32(26).string('').uint32(34).string('');
  return Buffer.concat([magic, writer.finish()]);
}

// What is embedded keeps its own form: objects of built-in kinds in their envelope would need a type they may not have.
const encodeRaw = (value: JsonValue): Uint8Array => Buffer.from(stringifyJson(value));

/**
 * One event of a watch in `application/vnd.kubernetes.protobuf;stream=watch`: its length in four bytes, and the event.
 * `undefined` where the kind of the object has no protobuf form.
 */
export function encodeWatchFrame(
  type: string,
  object: Readonly<Record<string, unknown>>,
): Buffer | undefined {
  const inner = encodeProtobuf(object);
  if (inner === undefined) return undefined;
  const writer = protobuf.Writer.create();
  writer.uint32(10).string(type);
  writer.uint32(18).fork().uint32(10).bytes(inner).ldelim();
  const event = writer.finish();
  const frame = Buffer.allocUnsafe(4 + event.length);
  frame.writeUInt32BE(event.length);
  frame.set(event, 4);
  return frame;
}

/** The type and object of a frame of a watch, without its length. */
export function decodeWatchEvent(frame: Buffer): { type: string; object: KubeObject } {
  const event = decodeAs(watchEvent, frame);
  if (!isObject(event)) throw badRequest('the frame holds no event');
  return event as unknown as { type: string; object: KubeObject };
}
