import { expect, it } from 'vitest';
import { ExpiringCache, maxCachedCharacters } from './expiring-cache.ts';

const quarter = maxCachedCharacters / 4;
const keep = async (cache: ExpiringCache<string>, ...keys: string[]) => {
  for (const key of keys) await cache.getOr(key, () => Promise.resolve(`${key}${'x'.repeat(quarter - 10)}`));
};

it('the oldest results go when all of them have too many characters', async () => {
  const cache = new ExpiringCache<string>(
    () => 1000,
    () => 0,
    10_000,
  );
  await keep(cache, 'a', 'b', 'c', 'd', 'e');
  expect(['a', 'b', 'c', 'd', 'e'].map((key) => cache.get(key)?.[0])).toEqual([
    undefined,
    'b',
    'c',
    'd',
    'e',
  ]);
});

it('results that expired make room', async () => {
  let now = 0;
  const cache = new ExpiringCache<string>(
    () => 1000,
    () => now,
    10_000,
  );
  await keep(cache, 'a', 'b', 'c', 'd');
  now = 2000;
  expect(cache.get('b')).toBeUndefined();
  await keep(cache, 'e');
  now = 0;
  expect(cache.get('a')?.[0]).toBe('a');
});

it('the oldest result is removed when there are too many', async () => {
  const cache = new ExpiringCache<string>(
    () => 1000,
    () => 0,
    2,
  );
  for (const key of ['a', 'b', 'c']) await cache.getOr(key, () => Promise.resolve(key));
  expect(['a', 'b', 'c'].map((key) => cache.get(key))).toEqual([undefined, 'b', 'c']);
});

it('a result that is larger than the cache is not kept', async () => {
  const cache = new ExpiringCache<string>(
    () => 1000,
    () => 0,
    10_000,
  );
  await cache.getOr('a', () => Promise.resolve('x'.repeat(maxCachedCharacters)));
  expect(cache.get('a')).toBeUndefined();
});
