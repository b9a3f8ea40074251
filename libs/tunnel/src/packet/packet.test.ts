import { describe, expect, test } from 'vitest';
import { decodePacket } from './decode-packet.ts';
import { encodePacket } from './encode-packet.ts';
import type { Packet } from './packet.ts';

const hex = (text: string) => Buffer.from(text.replaceAll(' ', ''), 'hex');

describe('packets as apiserver-network-proxy writes them', () => {
  const cases: [sentence: string, bytes: string, packet: Packet][] = [
    [
      'DIAL_REQ, whose type is zero and absent',
      '12 0d 0a 03 746370 12 03 613a31 18 80 01',
      { type: 'DIAL_REQ', protocol: 'tcp', address: 'a:1', random: 128n },
    ],
    ['DIAL_RSP', '08 01 1a 04 10 05 18 07', { type: 'DIAL_RSP', error: '', connectId: 5, random: 7n }],
    [
      'DIAL_RSP with an error',
      '08 01 1a 05 0a 01 78 18 07',
      { type: 'DIAL_RSP', error: 'x', connectId: 0, random: 7n },
    ],
    ['CLOSE_REQ', '08 02 2a 02 08 01', { type: 'CLOSE_REQ', connectId: 1 }],
    ['CLOSE_RSP', '08 03 32 02 10 01', { type: 'CLOSE_RSP', error: '', connectId: 1 }],
    [
      'DATA',
      '08 04 22 09 08 01 1a 05 68656c6c6f',
      { type: 'DATA', connectId: 1, error: '', data: Buffer.from('hello') },
    ],
    [
      'DATA with an error',
      '08 04 22 05 08 01 12 01 78',
      { type: 'DATA', connectId: 1, error: 'x', data: Buffer.alloc(0) },
    ],
    ['DIAL_CLS', '08 05 3a 02 08 07', { type: 'DIAL_CLS', random: 7n }],
    ['DRAIN', '08 06 42 00', { type: 'DRAIN' }],
  ];
  test.each(cases)('%s', (_sentence, bytes, packet) => {
    expect(encodePacket(packet).toString('hex')).toBe(hex(bytes).toString('hex'));
    expect(decodePacket(hex(bytes))).toEqual(packet);
  });
});

test.each([
  ['the smallest random', { type: 'DIAL_CLS', random: -(2n ** 63n) }],
  ['the largest random', { type: 'DIAL_CLS', random: 2n ** 63n - 1n }],
  ['the largest connection id', { type: 'CLOSE_REQ', connectId: Number.MAX_SAFE_INTEGER }],
  ['an address that is not ASCII', { type: 'DIAL_REQ', protocol: '', address: 'ü:1', random: 0n }],
  ['a window', { type: 'WINDOW', connectId: 3, bytes: 70_000 }],
  ['a half-close', { type: 'HALF_CLOSE', connectId: 3 }],
] satisfies [string, Packet][])('%s is decoded as it was encoded', (_sentence, packet) => {
  expect(decodePacket(encodePacket(packet))).toEqual(packet);
});

test('DATA leaves room for a prefix', () => {
  const packet: Packet = { type: 'DATA', connectId: 300, error: '', data: Buffer.alloc(200, 1) };
  expect(encodePacket(packet, 5).subarray(5).equals(encodePacket(packet))).toBe(true);
});

test.each([
  ['an empty message is a DIAL_REQ without payload', '', 'a DIAL_REQ packet has no payload'],
  ['DATA without payload', '08 04', 'a DATA packet has no payload'],
  ['DATA with the payload of another type', '08 04 2a 02 08 01', 'a DATA packet has no payload'],
  ['a payload that is longer than the message', '08 04 22 09 08', 'a packet ends early'],
  ['a number without end', 'ff ff ff ff ff ff ff ff ff ff ff', 'a number of a packet is out of range'],
  [
    'a negative connection id',
    '08 02 2a 0b 08 ff ff ff ff ff ff ff ff ff 01',
    'a number of a packet is out of range',
  ],
  ['a group', '0b', 'a packet has a field of the unsupported wire type 3'],
])('%s is refused', (_sentence, bytes, message) => {
  expect(() => decodePacket(hex(bytes))).toThrow(
    expect.objectContaining({ message, name: expect.stringMatching(/^(Packet|Wire)Error$/) }),
  );
});

test('types and fields of later versions are skipped', () => {
  expect(decodePacket(hex('08 63'))).toEqual({ type: 'UNKNOWN', number: 99 });
  expect(decodePacket(hex('08 02 2a 04 08 01 50 01 9a 06 01 00 5d 00 00 00 00 51 0000000000000000'))).toEqual(
    {
      type: 'CLOSE_REQ',
      connectId: 1,
    },
  );
});
