import { Buffer } from 'node:buffer';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bodyReader, maxChunkLineBytes } from './body-reader.ts';
import type { Framing } from './framing.ts';

/** Reads a text in pieces of these lengths; the last length repeats. */
function read(framing: Framing, text: string, lengths: readonly number[] = [text.length]) {
  const reader = bodyReader(framing);
  const bytes = Buffer.from(text, 'latin1');
  let data = '';
  let at = 0;
  for (let i = 0; at < bytes.length && !reader.done; i++) {
    const length = lengths[Math.min(i, lengths.length - 1)] ?? 1;
    const piece = bytes.subarray(at, at + length);
    at += reader.take(piece, (part) => (data += part.toString('latin1')));
  }
  return {
    data,
    rest: text.slice(at),
    done: reader.done,
    trailers: { ...reader.trailers },
    whole: reader.end(),
  };
}

describe('a body in chunks', () => {
  it.each([
    ['1\r\na\r\n0\r\n\r\n', 'a', {}],
    ['0\r\n\r\n', '', {}],
    ['A \t;x="y"\r\n0123456789\r\n1;\r\n!\r\n000\r\n\r\n', '0123456789!', {}],
    ['1\r\n\n\r\n0\r\nX-Sum: 7\r\nX-b: 8\r\n\r\n', '\n', { 'x-sum': '7', 'x-b': '8' }],
  ])('is read: %j', (text, data, trailers) => {
    expect(read({ by: 'chunks' }, `${text}HTTP/1.1`)).toEqual({
      data,
      rest: 'HTTP/1.1',
      done: true,
      trailers,
      whole: true,
    });
  });

  it.each([
    ['1\na\r\n', 'chunked line ends with bare LF'],
    ['1\rx\r\n', 'invalid CR in chunked line'],
    ['\r\n', 'empty hex number for chunk length'],
    ['g\r\n', 'invalid byte in chunk length'],
    ['0x1\r\n', 'invalid byte in chunk length'],
    ['-1\r\n', 'invalid byte in chunk length'],
    ['11111111111111111\r\n', 'http chunk length too large'],
    ['1\r\nab\r\n', 'malformed chunked encoding'],
    ['1\r\na\n', 'malformed chunked encoding'],
    [`1;${'x'.repeat(5000)}\r\n`, 'header line too long'],
    // The limit is maxChunkExcessBytes.
    [`1;${'x'.repeat(4000)}\r\na\r\n`.repeat(5), 'chunked encoding contains too much non-data'],
    // The limit is maxTrailerBytes.
    [`0\r\nA: ${'x'.repeat(5000)}\r\n\r\n`, 'http: suspiciously long trailer after chunked body'],
    ['0\r\nA\r\n\r\n', 'malformed MIME header: missing colon: "A"'],
  ])('is none: %.40j', (text, why) => {
    expect(() => read({ by: 'chunks' }, text)).toThrow(`transport connection broken: ${why}`);
  });

  it('is the same however it arrives', () => {
    const chunks = fc.array(fc.string({ minLength: 1, maxLength: 300, unit: 'binary-ascii' }), {
      maxLength: 6,
    });
    fc.assert(
      fc.property(chunks, fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }), (parts, lengths) => {
        const sent = parts.map((part) => `${part.length.toString(16)}\r\n${part}\r\n`).join('');
        const got = read({ by: 'chunks' }, `${sent}0\r\nX-Sum: 7\r\n\r\n`, lengths);
        expect(got).toMatchObject({ data: parts.join(''), rest: '', done: true, trailers: { 'x-sum': '7' } });
      }),
    );
  });

  it('may announce a larger size than can ever arrive', () => {
    expect(read({ by: 'chunks' }, 'ffffffffffffffff\r\nab')).toMatchObject({
      data: 'ab',
      done: false,
      whole: false,
    });
  });

  it('has trailers that end with carriage returns', () => {
    expect(read({ by: 'chunks' }, '0\r\nA: 1\n\n')).toMatchObject({ done: false, whole: false });
  });

  it('is incomplete before its end', () => {
    const whole = '5\r\nhello\r\n0\r\n\r\n';
    for (let end = 0; end < whole.length; end++) {
      expect(read({ by: 'chunks' }, whole.slice(0, end)).whole, whole.slice(0, end)).toBe(false);
    }
  });
});

describe('a body of known length', () => {
  it('ends there', () => {
    expect(read({ by: 'length', length: 3 }, 'abcde', [2, 3])).toMatchObject({
      data: 'abc',
      rest: 'de',
      done: true,
    });
    expect(read({ by: 'length', length: 3 }, 'ab')).toMatchObject({ data: 'ab', done: false, whole: false });
  });
});

describe('a body of unknown length', () => {
  it('ends with the connection', () => {
    expect(read({ by: 'close' }, 'abc', [1, 2])).toMatchObject({ data: 'abc', done: false, whole: true });
  });
});

it('a chunk line longer than maxChunkLineBytes is refused', () => {
  const text = (bytes: number) => `1;${'x'.repeat(bytes - '1;\r\n'.length)}\r\na\r\n0\r\n\r\n`;
  expect(read({ by: 'chunks' }, text(maxChunkLineBytes)).data).toBe('a');
  expect(() => read({ by: 'chunks' }, text(maxChunkLineBytes + 1))).toThrow('header line too long');
});
