import { finish, stringifyJson } from '@annex/machinery';
import { describe, expect, it } from 'vitest';
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

/** Reads the object, and lets two searches for unused objects pass: the first one after a read only notes it. */
const dropped = (stored: StoredObject): StoredObject => {
  expect(stored.object).toBeDefined();
  stored.dropUnused();
  expect(stored.isDecoded).toBe(true);
  stored.dropUnused();
  return stored;
};

describe('an object that is not read for a while', () => {
  it.each<[what: string, prepare: (stored: StoredObject, value: Buffer) => unknown]>([
    ['that is only decoded', () => undefined],
    ['that is encoded', (stored) => stored.line()],
    ['that is encoded in passes', (stored) => finish(stored.encodeInPasses()!)],
    [
      'that its writer noted',
      (_, value) => noteWritten(value, new StoredObject({ value, modRevision: 7 }).object),
    ],
  ])('%s is decoded again by the next reader', (_what, prepare) => {
    const values = [Buffer.from(large), Buffer.from(large)] as const;
    const [stored, other] = values.map((value) => new StoredObject({ value, modRevision: 7 }));
    prepare(stored!, values[0]);
    expect(dropped(stored!).isDecoded).toBe(false);
    finish(stored!.decodeInPasses()!);
    expect(stringifyJson(stored!.object)).toBe(stringifyJson(other!.object));
    expect(dropped(stored!).line()).toEqual(other!.line());
  });

  it('drops what its writer noted, also if it was never read', () => {
    const value = bytesOf(10);
    noteWritten(value, new StoredObject({ value, modRevision: 6 }).object);
    const stored = new StoredObject({ value, modRevision: 7 });
    stored.dropUnused();
    expect(stored.isDecoded).toBe(true);
    stored.dropUnused();
    expect([stored.isDecoded, stored.written]).toEqual([false, undefined]);
  });

  it('is decoded from its bytes, not from the object that its writer noted', () => {
    const value = bytesOf(10);
    noteWritten(value, new StoredObject({ value: bytesOf(9), modRevision: 6 }).object);
    const stored = new StoredObject({ value, modRevision: 7 });
    expect(Object.keys((dropped(stored).object as { data?: object }).data!)).toHaveLength(10);
  });

  it('stays if it has no bytes: the object of a deleted event', () => {
    const deleted = new StoredObject({ value: bytesOf(10), modRevision: 7 }).at(9);
    expect(dropped(deleted).isDecoded).toBe(true);
  });

  it('is the source of its deleted event', () => {
    const stored = new StoredObject({ value: bytesOf(10), modRevision: 7 });
    const deleted = stored.at(9);
    dropped(stored);
    expect(deleted.object.metadata.resourceVersion).toBe('9');
  });
});
