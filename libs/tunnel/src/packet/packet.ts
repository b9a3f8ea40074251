/**
 * The packets of the apiserver-network-proxy protocol, by the names of its `PacketType`. `random` names a dial until the agent
 * has chosen the `connectId` of the connection; 0 is no connection. `HALF_CLOSE` and `WINDOW` are extensions: they are
 * sent only to a peer that announced them.
 */
export type Packet =
  | { type: 'DIAL_REQ'; protocol: string; address: string; random: bigint }
  | { type: 'DIAL_RSP'; error: string; connectId: number; random: bigint }
  | { type: 'CLOSE_REQ'; connectId: number }
  | { type: 'CLOSE_RSP'; error: string; connectId: number }
  | { type: 'DATA'; connectId: number; error: string; data: Uint8Array }
  | { type: 'DIAL_CLS'; random: bigint }
  | { type: 'DRAIN' }
  | { type: 'HALF_CLOSE'; connectId: number }
  | { type: 'WINDOW'; connectId: number; bytes: number };

/** The name of a type of packets. */
export type PacketType = Packet['type'];

/** A packet of one type. */
export type PacketOf<T extends PacketType> = Extract<Packet, { type: T }>;

/** A packet of a later version of the protocol: receivers ignore it. */
export interface UnknownPacket {
  type: 'UNKNOWN';
  number: number;
}

/** What a receiver gets. */
export type ReceivedPacket = Packet | UnknownPacket;

type Kind = 'text' | 'bytes' | 'id' | 'random';

/** A type of packets on the wire. */
export interface PacketForm {
  readonly type: PacketType;
  /** The value of the field `type` of a packet. */
  readonly number: number;
  /** The number of the field with the payload. */
  readonly payload: number;
  /** The fields of the payload by their numbers, from 1. */
  readonly fields: readonly (readonly [name: string, kind: Kind])[];
}

/** All types of packets. The first seven are those of apiserver-network-proxy's client.proto. */
export const packetForms: readonly PacketForm[] = [
  {
    type: 'DIAL_REQ',
    number: 0,
    payload: 2,
    fields: [
      ['protocol', 'text'],
      ['address', 'text'],
      ['random', 'random'],
    ],
  },
  {
    type: 'DIAL_RSP',
    number: 1,
    payload: 3,
    fields: [
      ['error', 'text'],
      ['connectId', 'id'],
      ['random', 'random'],
    ],
  },
  { type: 'CLOSE_REQ', number: 2, payload: 5, fields: [['connectId', 'id']] },
  {
    type: 'CLOSE_RSP',
    number: 3,
    payload: 6,
    fields: [
      ['error', 'text'],
      ['connectId', 'id'],
    ],
  },
  {
    type: 'DATA',
    number: 4,
    payload: 4,
    fields: [
      ['connectId', 'id'],
      ['error', 'text'],
      ['data', 'bytes'],
    ],
  },
  { type: 'DIAL_CLS', number: 5, payload: 7, fields: [['random', 'random']] },
  { type: 'DRAIN', number: 6, payload: 8, fields: [] },
  { type: 'HALF_CLOSE', number: 1000, payload: 1000, fields: [['connectId', 'id']] },
  {
    type: 'WINDOW',
    number: 1001,
    payload: 1001,
    fields: [
      ['connectId', 'id'],
      ['bytes', 'id'],
    ],
  },
];
