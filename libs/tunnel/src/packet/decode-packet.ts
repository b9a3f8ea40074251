import { Buffer } from 'node:buffer';
import { type Packet, type PacketForm, packetForms, type ReceivedPacket } from './packet.ts';
import { PacketError, WireReader, wireTypes } from './wire.ts';

const byNumber = new Map(packetForms.map((form) => [form.number, form]));
const payloads = new Set(packetForms.map(({ payload }) => payload));
const typeField = 1;

/**
 * Decodes a message of a stream; `data` shares memory with it. Throws PacketError for bytes that are no packet, and for a packet
 * without the payload of its type.
 */
export function decodePacket(message: Uint8Array): ReceivedPacket {
  return decodeData(message) ?? decodeAny(message);
}

/** The bytes before the length of a DATA payload: type 4, and the tag of field 4. */
const dataStart = [0x08, 0x04, 0x22];
const connectIdTag = 0x08;
const dataTag = 0x1a;

/** Most packets are DATA with their fields in order. */
function decodeData(message: Uint8Array): Packet | undefined {
  const found = readDataHead(message, message.length);
  if (found === undefined) return undefined;
  return { type: 'DATA', connectId: found.connectId, error: '', data: message.subarray(found.head) };
}

/**
 * Reads the beginning of a message of some length. Returns the connection and the bytes before the data if it is a DATA packet
 * without error whose data are its last bytes. Throws PacketError for bytes that are no packet.
 */
export function readDataHead(
  bytes: Uint8Array,
  length: number,
): { connectId: number; head: number } | undefined {
  if (dataStart.some((byte, index) => bytes[index] !== byte)) return undefined;
  const reader = new WireReader(bytes, dataStart.length);
  if (reader.integer() !== length - reader.at) return undefined;
  let tag = reader.integer();
  const connectId = tag === connectIdTag ? reader.integer() : 0;
  if (tag === connectIdTag) tag = reader.integer();
  if (tag !== dataTag || reader.integer() !== length - reader.at) return undefined;
  return { connectId, head: reader.at };
}

function decodeAny(message: Uint8Array): ReceivedPacket {
  const { number, payload } = readEnvelope(message);
  const form = byNumber.get(number);
  if (form === undefined) return { type: 'UNKNOWN', number };
  if (payload?.field !== form.payload) throw new PacketError(`a ${form.type} packet has no payload`);
  return readPayload(form, payload.bytes);
}

interface Envelope {
  number: number;
  payload?: { field: number; bytes: Uint8Array };
}

/** The payloads are members of a oneof: the last one counts. */
function readEnvelope(message: Uint8Array): Envelope {
  const reader = new WireReader(message);
  const envelope: Envelope = { number: 0 };
  while (!reader.atEnd) {
    const { field, wire } = reader.tag();
    if (field === typeField && wire === wireTypes.varint) envelope.number = reader.integer();
    else if (payloads.has(field) && wire === wireTypes.bytes)
      envelope.payload = { field, bytes: reader.bytes() };
    else reader.skip(wire);
  }
  return envelope;
}

const empty = Buffer.alloc(0);
const zero = { text: '', bytes: empty, id: 0, random: 0n } as const;

function readPayload({ type, fields }: PacketForm, bytes: Uint8Array): Packet {
  const packet: Record<string, unknown> = { type };
  // permitted: no-inherited-keys, the names are those of the form
  for (const [name, kind] of fields) packet[name] = zero[kind];
  const reader = new WireReader(bytes);
  while (!reader.atEnd) {
    const { field, wire } = reader.tag();
    const [name, kind] = fields[field - 1] ?? [];
    if (name === undefined || kind === undefined || wire !== wireOf(kind)) reader.skip(wire);
    // permitted: no-inherited-keys, as said above
    else packet[name] = readValue(reader, kind);
  }
  return packet as unknown as Packet;
}

type Kind = keyof typeof zero;

const wireOf = (kind: Kind): number =>
  kind === 'text' || kind === 'bytes' ? wireTypes.bytes : wireTypes.varint;

function readValue(reader: WireReader, kind: Kind): unknown {
  if (kind === 'id') return reader.integer();
  if (kind === 'random') return reader.int64();
  const bytes = reader.bytes();
  if (kind === 'bytes') return bytes;
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString();
}
