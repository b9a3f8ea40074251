import { expect, test } from 'vitest';
import { keptBytes, utf8Length } from './utf8.ts';

test.each(['', 'abc', 'zoë', '€', '😀', 'a\ud800b'])('%j has the bytes of UTF-8', (text) => {
  expect(keptBytes(text)).toEqual(Buffer.from(text));
  expect(utf8Length(text)).toBe(Buffer.from(text).length);
});

test('bytes that are kept share no memory with others', () => {
  const bytes = keptBytes('a short text');
  expect(bytes.buffer.byteLength).toBe(bytes.length);
});
