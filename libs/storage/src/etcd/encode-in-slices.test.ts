import { expect, it } from 'vitest';
import { duringTurns, useShortSlices } from '../short-slices.fixture.ts';
import { codec } from './codec.ts';
import { encodeInSlices } from './encode-in-slices.ts';

it.each([0, 1, 8, 9, 100])('a list of %i items is encoded as in one part', async (length) => {
  useShortSlices();
  const kvs = Array.from({ length }, (_, i) => ({
    key: Buffer.from(`/${i}`),
    modRevision: i,
    value: Buffer.alloc(i),
  }));
  const message = { header: { revision: 7 }, more: true, count: 123 };
  const encoded = encodeInSlices('RangeResponse', message, { field: 'kvs', items: kvs, convert: (kv) => kv });
  const { result, turns } = await duringTurns(encoded);
  const { decode, encode } = codec('RangeResponse');
  expect(decode(result)).toEqual(decode(encode({ ...message, kvs })));
  expect(turns).toBeGreaterThan(length / 16);
});
