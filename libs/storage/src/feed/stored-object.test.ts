import { finish, stringifyJson } from '@annex/machinery';
import { expect, it } from 'vitest';
import { noteWritten, StoredObject } from './stored-object.ts';

const data = (length: number) =>
  Object.fromEntries(Array.from({ length }, (_, i) => [`key-${i}`, 'x'.repeat(100)]));
const bytesOf = (length: number) =>
  Buffer.from(
    stringifyJson({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: data(length) }),
  );
const large = bytesOf(4000);

it('a large object is decoded with a pause for each 64 KiB or less', () => {
  const stored = new StoredObject({ value: large, modRevision: 7 });
  const passes = stored.decodeInPasses()!;
  let pauses = 0;
  while (passes.next().done !== true) pauses++;
  expect(pauses).toBeGreaterThan(large.length / 65_536);
  expect(stored.decodeInPasses()).toBeUndefined();
  expect(stored.object).toEqual({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'a', resourceVersion: '7' },
    data: data(4000),
  });
});

it('a small object is decoded at once', () => {
  expect(new StoredObject({ value: bytesOf(10), modRevision: 7 }).decodeInPasses()).toBeUndefined();
});

it('a reader that does not wait decodes it for all', () => {
  const stored = new StoredObject({ value: large, modRevision: 7 });
  const passes = stored.decodeInPasses()!;
  passes.next();
  const { object } = stored;
  expect(finish(passes)).toBeUndefined();
  expect(stored.object).toBe(object);
});

it('the object of a deleted event is decoded with that of the object', () => {
  const stored = new StoredObject({ value: large, modRevision: 7 });
  const deleted = stored.at(9);
  finish(deleted.decodeInPasses()!);
  expect(stored.decodeInPasses()).toBeUndefined();
  expect([deleted.object.metadata.resourceVersion, stored.object.metadata.resourceVersion]).toEqual([
    '9',
    '7',
  ]);
});

it.each([
  ['no JSON', Buffer.concat([large.subarray(0, -1), Buffer.from(']')])],
  ['a list', Buffer.from(`[${large.toString()}]`)],
])('a large value that is %s is damaged', (_what, value) => {
  const stored = new StoredObject({ key: '/registry/a', value, modRevision: 7 });
  expect(() => finish(stored.decodeInPasses()!)).toThrow('the value of the key /registry/a is damaged');
});

it.each([
  ['small', bytesOf(10)],
  ['large', Buffer.from(large)],
])('a %s object that its writer noted is not decoded, and shares its parts', (_, value) => {
  const written = new StoredObject({ value, modRevision: 6 }).object;
  noteWritten(value, written);
  const stored = new StoredObject({ value, modRevision: 7 });
  expect(stored.decodeInPasses()).toBeUndefined();
  expect(stored.object).toEqual({ ...written, metadata: { ...written.metadata, resourceVersion: '7' } });
  expect((stored.object as { data?: object }).data).toBe((written as { data?: object }).data);
  expect(written.metadata.resourceVersion).toBe('6');
});
