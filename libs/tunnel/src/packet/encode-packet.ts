import { Buffer } from 'node:buffer';
import { type Packet, packetForms, type PacketOf } from './packet.ts';
import { varintLength, wireTypes, writeVarint } from './wire.ts';

const byType = new Map(packetForms.map((form) => [form.type, form]));

/** Encodes a packet, behind `room` bytes that the caller fills. Fields with the value zero are absent, as in Go. */
export function encodePacket(packet: Packet, room = 0): Buffer {
  if (packet.type === 'DATA' && packet.error === '') return encodeData(packet, room);
  const { number, payload, fields } = byType.get(packet.type)!;
  const values = fields.map(([name]) => valueOf(packet, name));
  const length = values.reduce<number>((sum, value) => sum + fieldLength(value), 0);
  const tag = tagOf(payload, wireTypes.bytes);
  const bytes = Buffer.allocUnsafe(
    room + fieldLength(number) + varintLength(tag) + varintLength(length) + length,
  );
  let at = writeField(bytes, room, 1, number);
  at = writeVarint(bytes, writeVarint(bytes, at, tag), length);
  values.forEach((value, index) => (at = writeField(bytes, at, index + 1, value)));
  return bytes;
}

type Value = string | number | bigint | Uint8Array;

/** The names are those of the form of the packet. */
const valueOf = (packet: Packet, name: string): Value =>
  // permitted: no-inherited-keys, as said above
  (packet as unknown as Readonly<Record<string, Value>>)[name]!;

const tagOf = (field: number, wire: number): number => field * 8 + wire;

const bytesOf = (value: string | Uint8Array): number =>
  typeof value === 'string' ? Buffer.byteLength(value) : value.length;

/** The length of a field with its tag, which is one byte. */
function fieldLength(value: Value): number {
  if (typeof value === 'number' || typeof value === 'bigint')
    return Number(value) === 0 ? 0 : 1 + varintLength(value);
  const length = bytesOf(value);
  return length === 0 ? 0 : 1 + varintLength(length) + length;
}

/** Returns the index after the field. */
function writeField(bytes: Buffer, start: number, field: number, value: Value): number {
  let at = start;
  if (typeof value === 'number' || typeof value === 'bigint') {
    if (Number(value) === 0) return at;
    bytes[at++] = tagOf(field, wireTypes.varint);
    return writeVarint(bytes, at, value);
  }
  const length = bytesOf(value);
  if (length === 0) return at;
  bytes[at++] = tagOf(field, wireTypes.bytes);
  at = writeVarint(bytes, at, length);
  if (typeof value === 'string') bytes.write(value, at);
  else bytes.set(value, at);
  return at + length;
}

const typeTag = tagOf(1, wireTypes.varint);
const { number: dataNumber, payload: dataPayload } = byType.get('DATA')!;
const payloadTag = tagOf(dataPayload, wireTypes.bytes);
const connectIdTag = tagOf(1, wireTypes.varint);
const dataTag = tagOf(3, wireTypes.bytes);

/** Most packets are DATA, so they are copied only once. */
function encodeData(packet: PacketOf<'DATA'>, room: number): Buffer {
  const { data } = packet;
  const bytes = encodeDataHead(packet, room, data.length);
  bytes.set(data, bytes.length - data.length);
  return bytes;
}

/** Encodes all of a DATA packet but its data, which follows, and leaves `tail` bytes of room for it. The packet has no error. */
export function encodeDataHead({ connectId, data }: PacketOf<'DATA'>, room: number, tail = 0): Buffer {
  const idLength = connectId === 0 ? 0 : 1 + varintLength(connectId);
  const head = idLength + 1 + varintLength(data.length);
  const length = head + data.length;
  const bytes = Buffer.allocUnsafe(room + 3 + varintLength(length) + head + tail);
  let at = room;
  bytes[at++] = typeTag;
  bytes[at++] = dataNumber;
  bytes[at++] = payloadTag;
  at = writeVarint(bytes, at, length);
  if (connectId !== 0) {
    bytes[at++] = connectIdTag;
    at = writeVarint(bytes, at, connectId);
  }
  bytes[at++] = dataTag;
  writeVarint(bytes, at, data.length);
  return bytes;
}
