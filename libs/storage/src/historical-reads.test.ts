import { expect, test } from 'vitest';
import { createMemoryStore } from './memory-store.ts';
import { useShortSlices } from './short-slices.fixture.ts';

const things = '/registry/things/';
const text = (value: Uint8Array) => Buffer.from(value).toString();

/** A store whose history is longer than one slice. */
async function busyStore() {
  const store = createMemoryStore();
  const revisions = new Map<string, number>();
  for (const name of ['a', 'b', 'c', 'd']) {
    revisions.set(name, await store.create(things + name, Buffer.from(`first ${name}`)));
  }
  const at = await store.currentRevision();
  let last = revisions.get('a')!;
  for (let i = 0; i < 500; i++) last = await store.update(`${things}a`, Buffer.from(`${i}`), last);
  await store.delete(`${things}b`);
  await store.create(`${things}e`, Buffer.from('e'));
  useShortSlices();
  return { store, at };
}

test('the pages of a list of the past are the same, whatever is written while they are read', async () => {
  const { store, at } = await busyStore();
  const first = store.list(things, { revision: at, limit: 2 });
  await store.delete(`${things}c`);
  const { entries, count, more } = await first;
  expect(entries.map(({ value }) => text(value))).toEqual(['first a', 'first b']);
  expect([count, more]).toEqual([4, true]);
  await store.delete(`${things}d`);
  await store.create(`${things}c`, Buffer.from('another c'));
  const rest = await store.list(things, { revision: at, limit: 2, startKey: `${things}b\0` });
  expect(rest.entries.map(({ value }) => text(value))).toEqual(['first c', 'first d']);
  expect([rest.count, rest.more]).toEqual([2, false]);
  await store.close();
});

test('a compaction while the past is being read ends that', async () => {
  const { store, at } = await busyStore();
  const reading = store.get(`${things}b`, { revision: at });
  await store.compact(await store.currentRevision());
  await expect(reading).rejects.toMatchObject({ code: 'compacted' });
  await store.close();
});

test('closing the store while the past is being read ends that', async () => {
  const { store, at } = await busyStore();
  const reading = store.list(things, { revision: at });
  await store.close();
  await expect(reading).rejects.toMatchObject({ code: 'unavailable' });
});
