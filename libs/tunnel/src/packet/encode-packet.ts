import { Buffer } from 'node:buffer';
import { type Packet, packetForms, type PacketOf } from './packet.ts';
import { varintLength, wireTypes, writeVarint } from './wire.ts';

const byType = new Map(packetForms.map((form) => [form.type, form]));

/** Encodes a packet, behind `room` bytes that the caller fills. Fields with the value zero are absent, as in Go. */
export function encodePacket(packet: Packet, room = 0): Buffer {
  if (packet.type === 'DATA' && packet.error === '') return encodeData(packet, room);
  const { number, payload, fields } = byType.get(packet.type)!;
  const values = new Map<string, unknown>(Object.entries(packet));
  const parts = fields.map(([name], index) => encodeField(index + 1, values.get(name)));
  const body = Buffer.concat(parts);
  return Buffer.concat([Buffer.alloc(room), encodeField(1, number), encodeField(payload, body, true)]);
}

const nothing = Buffer.alloc(0);

function encodeField(field: number, value: unknown, evenIfEmpty = false): Buffer {
  if (typeof value === 'number' || typeof value === 'bigint') {
    return Number(value) === 0
      ? nothing
      : Buffer.concat([varint(tagOf(field, wireTypes.varint)), varint(value)]);
  }
  const bytes = typeof value === 'string' ? Buffer.from(value) : (value as Uint8Array);
  if (bytes.length === 0 && !evenIfEmpty) return nothing;
  return Buffer.concat([varint(tagOf(field, wireTypes.bytes)), varint(bytes.length), bytes]);
}

const tagOf = (field: number, wire: number): number => field * 8 + wire;

function varint(value: number | bigint): Buffer {
  const bytes = Buffer.allocUnsafe(varintLength(value));
  writeVarint(bytes, 0, value);
  return bytes;
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
