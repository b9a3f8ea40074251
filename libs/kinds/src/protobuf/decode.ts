import {
  getOwn,
  isObject,
  type JsonObject,
  type JsonValue,
  parseJson,
  type Passes,
  requireFewMembers,
  setAllOwn,
  setOwn,
  tableOf,
} from '@annex/machinery';
import { type Reader } from 'protobufjs/minimal.js';
import { isListMessage, type MessageField, messageOf } from './messages.ts';
import { rawMessages, shapeOf, zeroOf } from './values.ts';

/** Decodes embedded bytes that contain a separate object. */
type DecodeRaw = (bytes: Buffer) => JsonValue;

/** Nested messages of one object. */
export const maxProtobufDepth = 200;

/**
 * Decodes the fields of a message up to `end` into its JSON; `undefined` if the JSON is empty. Throws
 * SyntaxError with Go's message, and the reader's error at the end of the bytes.
 */
export function decodeMessage(
  reader: Reader,
  end: number,
  name: string,
  decodeRaw: DecodeRaw,
  depth = 0,
): JsonValue | undefined {
  if (depth > maxProtobufDepth) throw new SyntaxError('the message is nested too deeply');
  if (end > reader.len) throw endsEarly();
  const message = messageOf(name);
  const object: JsonObject = {};
  const isRaw = rawMessages.has(name);
  let raw: Buffer | undefined;
  while (reader.pos < end) {
    const tag = reader.tag();
    const field = message.byNumber.get(tag >>> 3);
    if (field === undefined) skip(reader, tag, name);
    else if (isRaw) raw = Buffer.from(reader.bytes());
    else readField(object, field, tag & 7, reader, decodeRaw, depth);
  }
  if (reader.pos !== end) throw endsEarly();
  if (isRaw) return raw && decodeRawBytes(raw, decodeRaw);
  return shown(name, object);
}

function shown(name: string, object: JsonObject): JsonValue | undefined {
  if (isListMessage(name)) return object.items ?? [];
  const shape = shapeOf(name);
  return shape ? shape.show(object) : object;
}

/** Messages of up to so many bytes are decoded at once. */
const decodedAtOnce = 32 * 1024;

/** The same in passes: the fields of a message that is longer are read some at a time. Throws 413 for a map of too many entries. */
export function* decodeMessageInPasses(
  reader: Reader,
  end: number,
  name: string,
  decodeRaw: DecodeRaw,
  depth = 0,
): Passes<JsonValue | undefined> {
  const isDivided = end - reader.pos > decodedAtOnce && end <= reader.len && depth <= maxProtobufDepth;
  if (!isDivided || rawMessages.has(name)) return decodeMessage(reader, end, name, decodeRaw, depth);
  const message = messageOf(name);
  const object: JsonObject = {};
  const entries = new Map<MessageField, number>();
  for (let began = reader.pos; reader.pos < end;) {
    if (reader.pos - began > decodedAtOnce) {
      yield;
      began = reader.pos;
    }
    const tag = reader.tag();
    const field = message.byNumber.get(tag >>> 3);
    if (field === undefined) skip(reader, tag, name);
    else if (isMessage(field, tag & 7)) {
      const length = reader.size();
      const { type } = field;
      setField(
        object,
        field,
        yield* decodeMessageInPasses(reader, reader.pos + length, type, decodeRaw, depth + 1),
      );
    } else {
      if (field.map) countEntry(entries, field);
      readField(object, field, tag & 7, reader, decodeRaw, depth);
    }
  }
  if (reader.pos !== end) throw endsEarly();
  return shown(name, object);
}

/** Counts an entry of a map. Throws 413 for too many; repeated keys count. */
function countEntry(entries: Map<MessageField, number>, field: MessageField): void {
  const count = (entries.get(field) ?? 0) + 1;
  requireFewMembers(count);
  entries.set(field, count);
}

const isMessage = ({ type, map }: MessageField, wireType: number): boolean =>
  !map && wireType === 2 && type.includes('.');

const endsEarly = () => new SyntaxError('unexpected EOF');

/** Skips an unknown field of a newer version. */
export function skip(reader: Reader, tag: number, name: string): void {
  const short = name.slice(name.lastIndexOf('.') + 1);
  if (tag >>> 3 === 0) throw new SyntaxError(`proto: ${short}: illegal tag 0 (wire type ${tag & 7})`);
  if ((tag & 7) === 4) throw new SyntaxError(`proto: ${short}: wiretype end group for non-group`);
  // Groups are obsolete, and the library reads them without a limit.
  if ((tag & 7) === 3 || (tag & 7) > 5) throw new SyntaxError(`proto: illegal wireType ${tag & 7}`);
  reader.skipType(tag & 7);
}

function readField(
  object: JsonObject,
  field: MessageField,
  wireType: number,
  reader: Reader,
  decodeRaw: DecodeRaw,
  depth: number,
): void {
  const isPacked = field.repeated && wireType === 2 && (wireTypes.get(field.type) ?? 2) !== 2;
  if (isPacked) {
    const end = reader.size() + reader.pos;
    while (reader.pos < end) append(object, field.json, readScalar(reader, field.type));
    return;
  }
  if (wireType !== (field.map ? 2 : (wireTypes.get(field.type) ?? 2))) {
    throw new SyntaxError(`proto: wrong wireType = ${wireType} for field ${goName(field)}`);
  }
  if (field.map) return readEntry(object, field, reader, decodeRaw, depth);
  setField(object, field, readValue(reader, field.type, decodeRaw, depth));
}

function setField(object: JsonObject, field: MessageField, value: JsonValue | undefined): void {
  // An empty item, such as embedded empty JSON or a zero time, is null and counts.
  if (field.repeated) append(object, field.json, value ?? null);
  else if (value === undefined) return;
  else if (field.inline && isObject(value)) setAllOwn(object, value);
  else if (!(field.omitZero && isZero(value))) setOwn(object, field.json, value);
}

/** The wire types of scalars without a length. */
const wireTypes = tableOf({ bool: 0, int32: 0, int64: 0, double: 1 });

function goName({ json, type }: MessageField): string {
  if (json === 'metadata') return type.slice(type.lastIndexOf('.') + 1);
  return json.charAt(0).toUpperCase() + json.slice(1);
}

function append(object: JsonObject, name: string, value: JsonValue): void {
  const list = getOwn(object, name);
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
  const end = reader.size() + reader.pos;
  let key = '';
  let value: JsonValue | undefined = zeroOf(field.type);
  while (reader.pos < end) {
    const tag = reader.tag();
    if (tag >>> 3 === 1) key = reader.string();
    else if (tag >>> 3 === 2) value = readValue(reader, field.type, decodeRaw, depth);
    else skip(reader, tag, field.type);
  }
  if (!isObject(getOwn(object, field.json))) setOwn(object, field.json, {});
  setOwn(getOwn(object, field.json) as JsonObject, key, value ?? null);
}

function readValue(reader: Reader, type: string, decodeRaw: DecodeRaw, depth: number): JsonValue | undefined {
  if (!type.includes('.')) return readScalar(reader, type);
  const length = reader.size();
  return decodeMessage(reader, reader.pos + length, type, decodeRaw, depth + 1);
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

/** Returns whether bytes begin with the envelope of Kubernetes. */
export const hasEnvelope = (bytes: Buffer): boolean => bytes.subarray(0, 4).equals(prefix);

function decodeRawBytes(bytes: Buffer, decodeRaw: DecodeRaw): JsonValue | undefined {
  if (bytes.length === 0) return undefined;
  return hasEnvelope(bytes) ? decodeRaw(bytes) : parseJson(bytes.toString());
}
