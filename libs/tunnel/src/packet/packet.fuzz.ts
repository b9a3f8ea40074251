import { type FuzzTarget, orError } from '@annex/testkit';
import { MessageReader, writePrefix } from '../grpc/message-reader.ts';
import { GrpcError } from '../grpc/status.ts';
import { decodePacket } from './decode-packet.ts';
import { encodePacket } from './encode-packet.ts';
import type { Packet } from './packet.ts';
import { PacketError } from './wire.ts';

const packets: readonly Packet[] = [
  { type: 'DIAL_REQ', protocol: 'tcp', address: '[::1]:443', random: -1n },
  { type: 'DIAL_RSP', error: 'x', connectId: 7, random: 1n },
  { type: 'CLOSE_REQ', connectId: 1 },
  { type: 'CLOSE_RSP', error: 'x', connectId: 1 },
  { type: 'DATA', connectId: 1, error: 'x', data: Buffer.from('data') },
  { type: 'DIAL_CLS', random: 1n },
  { type: 'DRAIN' },
  { type: 'HALF_CLOSE', connectId: 1 },
  { type: 'WINDOW', connectId: 1, bytes: 65_536 },
];

export const fuzzTargets: FuzzTarget[] = [
  {
    name: 'tunnel-packets',
    records: { format: 'protobuf' },
    seeds: packets.map((packet) => encodePacket(packet)),
    dictionary: ['\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01', '\x80\x80\x80\x80\x10'],
    maxBytes: 256,
    run(input) {
      const packet = orError(() => decodePacket(input), [PacketError]);
      if (!(packet instanceof Error) && packet.type !== 'UNKNOWN') decodePacket(encodePacket(packet));
    },
  },
  {
    name: 'tunnel-messages',
    seeds: [Buffer.concat(packets.map((packet) => writePrefix(encodePacket(packet, 5))))],
    dictionary: ['\0\0\0\0\0', '\x01\0\0\0\0', '\0\xff\xff\xff\xff'],
    maxBytes: 512,
    run(input) {
      const reader = new MessageReader(64, () => undefined);
      const half = input.length >> 1;
      orError(() => [input.subarray(0, half), input.subarray(half)].forEach((part) => reader.add(Buffer.from(part))), [GrpcError]); // prettier-ignore
    },
  },
];
