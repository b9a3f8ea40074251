import { expect, test } from 'vitest';
import { headBytes, MessageReader, writePrefix } from './message-reader.ts';

const framed = (text: string) => writePrefix(Buffer.from(`.....${text}`));

function read(chunks: readonly Buffer[], max = 100): string[] {
  const messages: string[] = [];
  const reader = new MessageReader(max, (message) => messages.push(message.toString()));
  for (const chunk of chunks) reader.add(chunk);
  return messages;
}

const all = Buffer.concat(['one', '', 'three'].map(framed));

test.each([1, 2, 3, 5, 7, 100])('messages are found in chunks of %d bytes', (size) => {
  const chunks = Array.from({ length: Math.ceil(all.length / size) }, (_, i) =>
    all.subarray(i * size, (i + 1) * size),
  );
  expect(read(chunks)).toEqual(['one', '', 'three']);
});

test('a message that is too large is refused before it arrives', () => {
  expect(() => read([framed('x'.repeat(101)).subarray(0, 5)])).toThrow(
    'grpc: received message larger than max (101 vs. 100)',
  );
});

test('a compressed message is refused', () => {
  expect(() => read([Buffer.from([1, 0, 0, 0, 0])])).toThrow('grpc: compressed flag set');
});

test.each([1, 7, 40, 64, 250])(
  'a message that can be divided arrives in pieces of chunks of %d bytes',
  (size) => {
    const long = `head${'x'.repeat(headBytes * 4)}`;
    const bytes = Buffer.concat(['one', long, 'two', long].map(framed));
    const found: string[] = [];
    const heads: [string, number][] = [];
    const reader = new MessageReader(
      1_000,
      (message) => found.push(`|${message.toString()}`),
      (head, length) => {
        if (head.toString('latin1', 0, 4) !== 'head') return undefined;
        heads.push([head.toString('latin1', 0, 4), length]);
        found.push('|head');
        return { head: 4, piece: (piece) => found.push(piece.toString()) };
      },
    );
    for (let at = 0; at < bytes.length; at += size) reader.add(bytes.subarray(at, at + size));
    expect(found.join('')).toBe(`|one|${long}|two|${long}`);
    for (const each of heads) expect(each).toEqual(['head', long.length]);
  },
);
