import { expect, it } from 'vitest';
import { codec } from './codec.ts';
import { entryOf } from './entries.ts';

const response = (...lengths: number[]) => {
  const { encode, decode } = codec('RangeResponse');
  const kvs = lengths.map((length) => ({ key: Buffer.from('/a'), value: Buffer.alloc(length, 'x') }));
  return decode(encode({ kvs }));
};

it.each<[string, number[]]>([
  ['a small value beside a large one', [50, 100_000]],
  ['an empty value', [0, 100_000]],
  ['one of many', Array.from({ length: 500 }, () => 1000)],
])('%s does not keep the memory of the response', (_, lengths) => {
  const [kv] = response(...lengths).kvs;
  const { value } = entryOf(kv!);
  expect(value).toEqual(Buffer.alloc(lengths[0]!, 'x'));
  expect(value.buffer.byteLength).toBe(lengths[0]);
});

it('a value that is most of the response is not copied', () => {
  const [kv] = response(100_000).kvs;
  expect(entryOf(kv!).value).toBe(kv!.value);
});
