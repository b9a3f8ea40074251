import { getOwn, setOwn } from '@annex/machinery';
import { Reader, Writer } from 'protobufjs/minimal.js';
import { type Message, type MessageDraft, type MessageName, messageTable } from './messages.ts';

/** Encodes and decodes one message type. */
export interface Codec<N extends MessageName> {
  /** A nested message may be encoded already. */
  encode(message: MessageDraft<N>): Buffer;
  /** Throws the error of the protobuf library, or RangeError for a nested message that does not end where it should. */
  decode(bytes: Uint8Array): Message<N>;
}

/**
 * Returns the codec of a message type. It interprets the table: functions that protobufjs generates at run time cost a tenth of the
 * start of a test environment.
 */
export function codec<N extends MessageName>(name: N): Codec<N> {
  return {
    encode(message) {
      const writer = Writer.create();
      writeMessage(writer, fieldsOf(name), message);
      return writer.finish() as Buffer;
    },
    decode(bytes) {
      const reader = Reader.create(bytes);
      return readMessage(reader, reader.len, fieldsOf(name)) as Message<N>;
    },
  };
}

type ScalarType = 'bool' | 'bytes' | 'id64' | 'int32' | 'int64' | 'string' | 'uint64';

interface Scalar {
  wireType: number;
  zero: unknown;
  write(writer: Writer, value: never): unknown;
  read(reader: Reader): unknown;
}

const varint = 0;
const delimited = 2;

const scalars: Readonly<Record<ScalarType, Scalar>> = {
  bool: {
    wireType: varint,
    zero: false,
    write: (writer, value) => writer.bool(value),
    read: (reader) => reader.bool(),
  },
  bytes: {
    wireType: delimited,
    zero: Buffer.alloc(0),
    write: (writer, value) => writer.bytes(value),
    read: (reader) => reader.bytes(),
  },
  id64: {
    wireType: varint,
    zero: '0',
    write: (writer, value) => writer.int64(value),
    read: (reader) => String(reader.int64()),
  },
  int32: {
    wireType: varint,
    zero: 0,
    write: (writer, value) => writer.int32(value),
    read: (reader) => reader.int32(),
  },
  int64: {
    wireType: varint,
    zero: 0,
    write: (writer, value) => writer.int64(value),
    read: (reader) => readNumber(reader, () => reader.int64()),
  },
  string: {
    wireType: delimited,
    zero: '',
    write: (writer, value) => writer.string(value),
    read: (reader) => reader.string(),
  },
  uint64: {
    wireType: varint,
    zero: 0,
    write: (writer, value) => writer.uint64(value),
    read: (reader) => readNumber(reader, () => reader.uint64()),
  },
};

/** Reads an integer as a number: up to 49 bits here, because the library makes an object of each. */
function readNumber(reader: Reader, read: (reader: Reader) => unknown): number {
  const start = reader.pos;
  let value = 0;
  for (let factor = 1; factor <= 2 ** 42 && reader.pos < reader.len; factor *= 128) {
    const byte = reader.buf[reader.pos++]!;
    value += (byte & 127) * factor;
    if (byte < 128) return value;
  }
  reader.pos = start;
  return Number(read(reader));
}

interface Field {
  name: string;
  /** The number and the wire type. */
  tag: number;
  isRepeated: boolean;
  /** A scalar that is zero is not sent. Members of a oneof are. */
  omitsZero: boolean;
  /** Of a scalar. */
  scalar: Scalar | undefined;
  /** Of a nested message. No message contains itself. */
  message: MessageName;
}

interface Fields {
  inOrder: readonly Field[];
  byTag: ReadonlyMap<number, Field>;
  /** A message without repeated fields whose other fields are absent. */
  absent: object;
  repeated: readonly Field[];
}

const parsed = new Map<MessageName, Fields>();

/** Returns the fields of a message type; parsed on first use. */
function fieldsOf(name: MessageName): Fields {
  const before = parsed.get(name);
  if (before !== undefined) return before;
  const inOrder: Field[] = [];
  const byTag = new Map<number, Field>();
  const absent = {};
  for (const [field, text] of Object.entries(messageTable[name] as Record<string, string>)) {
    const [, type = '', mark, number] = /^(\w+)([*?]?) (\d+)$/.exec(text)!;
    const scalar = getOwn(scalars as Record<string, Scalar>, type);
    const tag = (Number(number) << 3) | (scalar?.wireType ?? delimited);
    const isRepeated = mark === '*';
    const omitsZero = mark === '' && scalar !== undefined;
    inOrder.push({ name: field, tag, isRepeated, omitsZero, scalar, message: type as MessageName });
    byTag.set(tag, inOrder.at(-1)!);
    setOwn(absent, field, isRepeated || mark === '?' ? undefined : scalar?.zero);
  }
  const fields = { inOrder, byTag, absent, repeated: inOrder.filter(({ isRepeated }) => isRepeated) };
  parsed.set(name, fields);
  return fields;
}

function writeMessage(writer: Writer, { inOrder }: Fields, message: object): void {
  for (const field of inOrder) {
    const value = getOwn(message, field.name);
    if (value === undefined || value === null || (field.omitsZero && isZero(value))) continue;
    if (!field.isRepeated) writeField(writer, field, value);
    else for (const item of value as unknown[]) writeField(writer, field, item);
  }
}

const isZero = (value: unknown): boolean =>
  value === 0 || value === false || value === '0' || (value as Uint8Array).length === 0;

function writeField(writer: Writer, { tag, scalar, message }: Field, value: unknown): void {
  writer.uint32(tag);
  if (scalar !== undefined) return void scalar.write(writer, value as never);
  if (value instanceof Uint8Array) return void writer.bytes(value);
  writer.fork();
  writeMessage(writer, fieldsOf(message), value as object);
  writer.ldelim();
}

function readMessage(reader: Reader, end: number, fields: Fields): object {
  const message: Record<string, unknown> = { ...fields.absent };
  for (const { name } of fields.repeated) setOwn(message, name, []);
  while (reader.pos < end) {
    const tag = reader.tag();
    const field = fields.byTag.get(tag);
    if (field === undefined) skip(reader, tag, fields, message);
    else if (field.isRepeated) (getOwn(message, field.name) as unknown[]).push(readField(reader, end, field));
    else setOwn(message, field.name, readField(reader, end, field));
  }
  if (reader.pos !== end) throw new RangeError('a message does not end where its length says');
  return message;
}

function readField(reader: Reader, end: number, { scalar, message }: Field): unknown {
  if (scalar !== undefined) return scalar.read(reader);
  const length = reader.size();
  if (length > end - reader.pos) throw new RangeError('a nested message is longer than its message');
  return readMessage(reader, reader.pos + length, fieldsOf(message));
}

/** Skips a field of a newer version, or reads a list of numbers that is packed. */
function skip(reader: Reader, tag: number, { byTag }: Fields, message: object): void {
  const wireType = tag & 7;
  const field = wireType === delimited ? byTag.get(tag - delimited + varint) : undefined;
  if (field?.isRepeated !== true || field.scalar === undefined)
    return void reader.skipType(wireType, 0, tag >>> 3);
  const length = reader.size();
  if (length > reader.len - reader.pos) throw new RangeError('a list is longer than its message');
  const end = reader.pos + length;
  const list = getOwn(message, field.name) as unknown[];
  while (reader.pos < end) list.push(field.scalar.read(reader));
  if (reader.pos !== end) throw new RangeError('a list does not end where its length says');
}
