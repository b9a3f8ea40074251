import { isObject, type JsonObject, type JsonValue, parseJson, setOwn } from '@annex/machinery';
import { type Reader } from 'protobufjs/minimal.js';
import { isListMessage, type MessageField, messageOf } from './messages.ts';
import { rawMessages, shapeOf } from './values.ts';

/** Reads embedded bytes that hold an object of their own. */
type DecodeRaw = (bytes: Buffer) => JsonValue;

const maxDepth = 200;

/** Decodes the fields of a message up to `end` into the JSON of it; `undefined` where JSON says nothing then. */
export function decodeMessage(
  reader: Reader,
  end: number,
  name: string,
  decodeRaw: DecodeRaw,
  depth = 0,
): JsonValue | undefined {
  if (depth > maxDepth) throw new RangeError('the message is nested too deeply');
  const message = messageOf(name);
  const object: JsonObject = {};
  const isRaw = rawMessages.has(name);
  while (reader.pos < end) {
    const tag = reader.uint32();
    const field = message.byNumber.get(tag >>> 3);
    if (field === undefined) {
      reader.skipType(tag & 7);
    } else if (isRaw) {
      return decodeRawBytes(Buffer.from(reader.bytes()), decodeRaw);
    } else {
      readField(object, field, tag & 7, reader, decodeRaw, depth);
    }
  }
  if (isRaw) return undefined;
  if (isListMessage(name)) return object.items ?? [];
  const shape = shapeOf(name);
  return shape ? shape.show(object) : object;
}

function readField(
  object: JsonObject,
  field: MessageField,
  wireType: number,
  reader: Reader,
  decodeRaw: DecodeRaw,
  depth: number,
): void {
  if (field.map) return readEntry(object, field, reader, decodeRaw, depth);
  if (field.repeated && wireType === 2 && packed.has(field.type)) {
    const end = reader.uint32() + reader.pos;
    while (reader.pos < end) append(object, field.json, readScalar(reader, field.type));
    return;
  }
  const value = readValue(reader, field.type, decodeRaw, depth);
  if (value === undefined) {
    // Embedded JSON of nothing is null; it counts as an item.
    if (field.repeated) append(object, field.json, null);
  } else if (field.repeated) append(object, field.json, value);
  else if (field.inline && isObject(value)) Object.assign(object, value);
  else if (!(field.omitZero && isZero(value))) setOwn(object, field.json, value);
}

function append(object: JsonObject, name: string, value: JsonValue): void {
  const list = object[name];
  if (Array.isArray(list)) list.push(value);
  else setOwn(object, name, [value]);
}

const isZero = (value: JsonValue) => value === '' || value === 0 || value === false;

function readEntry(
  object: JsonObject,
  field: MessageField,
  reader: Reader,
  decodeRaw: DecodeRaw,
  depth: number,
): void {
  const end = reader.uint32() + reader.pos;
  let key = '';
  let value: JsonValue | undefined;
  while (reader.pos < end) {
    const tag = reader.uint32();
    if (tag >>> 3 === 1) key = reader.string();
    else if (tag >>> 3 === 2) value = readValue(reader, field.type, decodeRaw, depth);
    else reader.skipType(tag & 7);
  }
  if (!isObject(object[field.json])) setOwn(object, field.json, {});
  setOwn(object[field.json] as JsonObject, key, value ?? '');
}

const packed = new Set(['bool', 'int32', 'int64', 'uint32', 'uint64', 'double', 'float']);

function readValue(reader: Reader, type: string, decodeRaw: DecodeRaw, depth: number): JsonValue | undefined {
  if (!type.includes('.')) return readScalar(reader, type);
  const length = reader.uint32();
  const end = reader.pos + length;
  if (end > reader.len) throw new RangeError('the message ends early');
  return decodeMessage(reader, end, type, decodeRaw, depth + 1);
}

function readScalar(reader: Reader, type: string): JsonValue {
  switch (type) {
    case 'string':
      return reader.string();
    case 'bytes':
      return Buffer.from(reader.bytes()).toString('base64');
    case 'bool':
      return reader.bool();
    case 'int32':
      return reader.int32();
    case 'double':
      return reader.double();
    case 'int64':
      return exactInteger(BigInt(reader.int64().toString()));
    default:
      throw new Error(`protobuf type ${type} is not used by Kubernetes`);
  }
}

const exactInteger = (value: bigint): JsonValue =>
  Number.isSafeInteger(Number(value)) ? Number(value) : value;

const prefix = Buffer.from('k8s\0');

/** True for bytes in the envelope of Kubernetes. */
export const hasEnvelope = (bytes: Buffer): boolean => bytes.subarray(0, 4).equals(prefix);

function decodeRawBytes(bytes: Buffer, decodeRaw: DecodeRaw): JsonValue | undefined {
  if (bytes.length === 0) return undefined;
  return hasEnvelope(bytes) ? decodeRaw(bytes) : parseJson(bytes.toString());
}
