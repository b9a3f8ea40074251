import { describe, expect, it } from 'vitest';
import { formats } from './record-formats.ts';
import { Random } from './random.ts';
import { mutatedRecords } from './record-mutation.ts';

const hex = (text: string): Uint8Array => Buffer.from(text.replaceAll(' ', ''), 'hex');

describe.each([
  ['der', '30 0b 02 01 05 a0 06 04 04 30 02 05 00'],
  ['der', `04 82 01 2c ${'00'.repeat(300)}`],
  ['protobuf', '08 96 01 12 05 0a 03 61 62 63 1d 01 02 03 04 21 01 02 03 04 05 06 07 08'],
  ['http2', '00 00 00 04 00 00 00 00 00 00 00 02 00 01 00 00 00 01 61 62'],
] as const)('a text of %s', (format, text) => {
  const bytes = hex(text);
  const { read, write } = formats[format];

  it('is written as it was read', () => {
    expect(Buffer.concat(read(bytes)!.map(write)).toString('hex')).toBe(Buffer.from(bytes).toString('hex'));
  });

  it('mostly still consists of records after a mutation', () => {
    const random = new Random(1);
    let valid = 0;
    for (let i = 0; i < 1000; i++) {
      const mutated = mutatedRecords(bytes, { format }, random, [bytes], (one) => one);
      if (read(mutated!) !== undefined) valid++;
    }
    expect(valid).toBeGreaterThan(800);
  });
});

it.each([
  ['der', '30 80 02 01'],
  ['der', '30 05 02 01 05'],
  ['protobuf', '0a 05 61'],
  ['protobuf', '0b'],
  ['http2', '00 00 05 00'],
] as const)('what is no text of %s has no records: %s', (format, text) => {
  expect(mutatedRecords(hex(text), { format }, new Random(1), [], (one) => one)).toBeUndefined();
});

it('the bytes before the first record stay', () => {
  const random = new Random(1);
  const input = hex('ff 08 01 10 02');
  for (let i = 0; i < 100; i++) {
    const mutated = mutatedRecords(input, { format: 'protobuf', skip: 1 }, random, [input], (one) => one);
    expect(mutated?.[0]).toBe(0xff);
  }
});
