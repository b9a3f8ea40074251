import { expect, it } from 'vitest';
import { Heap } from './heap.ts';

const heap = (...items: [string, number][]) => {
  const created = new Heap<[string, number]>(
    ([key]) => key,
    (a, b) => a[1] < b[1],
  );
  for (const item of items) created.add(item);
  return created;
};
const drained = (of: ReturnType<typeof heap>): string[] => {
  const keys: string[] = [];
  for (let item = of.pop(); item !== undefined; item = of.pop()) keys.push(item[0]);
  return keys;
};

it('items leave in order', () => {
  expect(drained(heap(['c', 3], ['a', 1], ['d', 4], ['b', 2]))).toEqual(['a', 'b', 'c', 'd']);
});

it('an item of the same key is replaced and moves', () => {
  const one = heap(['a', 1], ['b', 2], ['c', 3]);
  one.add(['a', 9]);
  expect(one.size).toBe(3);
  expect(drained(one)).toEqual(['b', 'c', 'a']);
});

it('items are removed from anywhere', () => {
  const one = heap(...Array.from({ length: 50 }, (_, i): [string, number] => [`k${i}`, (i * 37) % 50]));
  for (let i = 0; i < 50; i += 2) one.delete(`k${i}`);
  const left = drained(one);
  expect(left).toHaveLength(25);
  expect(left.map((key) => (Number(key.slice(1)) * 37) % 50)).toEqual(
    left.map((key) => (Number(key.slice(1)) * 37) % 50).toSorted((a, b) => a - b),
  );
});
