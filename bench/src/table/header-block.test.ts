import { Buffer } from 'node:buffer';
import { expect, test } from 'vitest';
import { encodeHeaders, readStatus } from './header-block.ts';

test.each([
  ['an indexed status', [0x88], 200],
  ['an indexed status after an update of the table', [0x20, 0x8d], 404],
  ['a literal of three characters', [0x08, 0x03, 0x32, 0x30, 0x31], 201],
  ['a literal that enters the table', [0x48, 0x03, 0x34, 0x32, 0x39], 429],
  ['a Huffman code', [0x48, 0x82, 0x10, 0x03], 201],
  ['a Huffman code of longer digits', [0x08, 0x83, 0x6d, 0xf7, 0xff], 599],
  ['another header is no status', [0x0f, 0x0d, 0x01, 0x30], 0],
])('%s is read', (_, bytes, expected) => {
  expect(readStatus(Buffer.from(bytes))).toBe(expected);
});

test('a value of more than 127 bytes has a length of several bytes', () => {
  const value = 'v'.repeat(300);
  expect(encodeHeaders({ a: value })).toEqual(
    Buffer.concat([Buffer.of(0, 1, 0x61, 127, 173, 1), Buffer.from(value)]),
  );
});
