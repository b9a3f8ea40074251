import { expect, test } from 'vitest';
import { SortedMap } from './sorted-map.ts';

const all = <V>(map: SortedMap<V>, prefix: string, startKey = prefix) => {
  const found: [string, V][] = [];
  map.scan(prefix, startKey, (key, value) => {
    found.push([key, value]);
  });
  return found;
};

test('keys come in order whatever the order of their insertion', () => {
  const map = new SortedMap<number>();
  const keys = Array.from({ length: 5000 }, (_, i) => `/${String((i * 7919) % 5000).padStart(4, '0')}`);
  keys.forEach((key, i) => map.set(key, i));
  expect(map.size).toBe(5000);
  expect(all(map, '/').map(([key]) => key)).toEqual([...keys].sort());
  expect(map.get('/0001')).toBe(keys.indexOf('/0001'));
});

test('deletions remove only their keys, across all chunks', () => {
  const map = new SortedMap<number>();
  for (let i = 0; i < 3000; i++) map.set(`/${String(i).padStart(4, '0')}`, i);
  for (let i = 0; i < 3000; i++)
    if (i % 3 !== 0) expect(map.delete(`/${String(i).padStart(4, '0')}`)).toBe(true);
  expect(map.delete('/0001')).toBe(false);
  expect(map.values('/')).toEqual(Array.from({ length: 1000 }, (_, i) => i * 3));
  for (const value of map.values('/')) map.delete(`/${String(value).padStart(4, '0')}`);
  expect(map.size).toBe(0);
  expect(all(map, '/')).toEqual([]);
});

test('a map takes over the entries of another one', () => {
  const map = new SortedMap<number>();
  map.set('/old', 1);
  const other = new SortedMap<number>();
  for (let i = 0; i < 2000; i++) other.set(`/${String(i).padStart(4, '0')}`, i);
  map.takeOver(other);
  expect([map.size, map.get('/old'), map.get('/1999')]).toEqual([2000, undefined, 1999]);
  map.set('/2000', 2000);
  expect([map.size, map.count('/', '/1500')]).toEqual([2001, 501]);
});

test('a scan holds to its prefix, its start and its end', () => {
  const map = new SortedMap<number>();
  ['/a/1', '/a/2', '/a/3', '/ab/1', '/b/1'].forEach((key, i) => map.set(key, i));
  expect(all(map, '/a/')).toEqual([
    ['/a/1', 0],
    ['/a/2', 1],
    ['/a/3', 2],
  ]);
  expect(all(map, '/a/', '/a/2')).toEqual([
    ['/a/2', 1],
    ['/a/3', 2],
  ]);
  expect(all(map, '/c/')).toEqual([]);
  let visited = 0;
  map.scan('/', '/', () => ++visited < 2);
  expect(visited).toBe(2);
});

test('values and counts of a prefix are those of a scan, across chunks and at every boundary', () => {
  const map = new SortedMap<number>();
  for (let folder = 0; folder < 7; folder++) {
    for (let i = 0; i < 400; i++) map.set(`/${folder}/${String(i).padStart(3, '0')}`, folder * 1000 + i);
  }
  for (const prefix of [
    '',
    '/',
    '/0/',
    '/1/',
    '/3/',
    '/6/',
    '/7/',
    '/3/1',
    '/3/100',
    '/3/1000',
    '/!',
    '/9',
  ]) {
    expect(map.values(prefix)).toEqual(all(map, prefix).map(([, value]) => value));
    for (const startKey of [prefix, '/3/150', '/3/399', '/6/399', '/6/3999']) {
      expect([prefix, startKey, map.count(prefix, startKey)]).toEqual([
        prefix,
        startKey,
        all(map, prefix, startKey).length,
      ]);
    }
  }
});

test('the first values under a prefix come from as few chunks as have them', () => {
  const map = new SortedMap<number>();
  for (let i = 0; i < 3000; i++) map.set(`/${i % 2 === 0 ? 'a' : 'b'}/${String(i).padStart(4, '0')}`, i);
  for (const limit of [0, 1, 600, 1500, 9000])
    expect(map.values('/b/', limit)).toEqual(map.values('/b/').slice(0, limit));
  expect(map.count('/b/', '/b/')).toBe(1500);
});
