import { tempFolder } from '@annex/testkit';
import { open } from 'lmdb';
import { expect, onTestFinished, test } from 'vitest';
import { NativeBatch } from './native-batch.ts';

/** MDB_BAD_VALSIZE: LMDB has no empty keys. */
const badSize = -30781;

function openTable(): ReturnType<typeof open<Buffer, Buffer>> {
  const folder = tempFolder('annex-native-batch-');
  const table = open<Buffer, Buffer>({
    path: folder.path,
    keyEncoding: 'binary',
    encoding: 'binary',
    overlappingSync: false,
  });
  onTestFinished(async () => {
    await table.close();
    folder[Symbol.dispose]();
  });
  return table;
}

const key = (text: string) => Buffer.from(text);

/** Keys around the multiples of 8 bytes, to which instructions are aligned, and the longest one. */
const keyLengths = [...Array.from({ length: 18 }, (_, i) => i + 1), 1900];

test.each(keyLengths)('a key of %i bytes is written with its value, and removed', async (length) => {
  const table = openTable();
  const written = new NativeBatch();
  const name = Buffer.alloc(length, 7);
  written.put(table, name, Buffer.from('value'));
  written.put(table, key('other'), Buffer.from('of another'));
  await written.commit(table as never);
  table.resetReadTxn();
  expect([table.get(name)?.toString(), table.get(key('other'))?.toString()]).toEqual(['value', 'of another']);
  const removed = new NativeBatch();
  removed.remove(table, name);
  removed.remove(table, key('missing'));
  await removed.commit(table as never);
  table.resetReadTxn();
  expect([table.get(name), table.get(key('other'))?.toString()]).toEqual([undefined, 'of another']);
});

test.each<[what: string, bytes: Uint8Array]>([
  ['an empty value', new Uint8Array(0)],
  ['a part of a pooled buffer', Buffer.from('a value in the middle').subarray(2, 7)],
  ['a value in memory that threads share', new Uint8Array(new SharedArrayBuffer(300)).fill(5)],
  ['a value of many pages', Buffer.alloc(50_000, 6)],
])('%s is stored byte by byte', async (_what, bytes) => {
  const table = openTable();
  const batch = new NativeBatch();
  batch.put(table, key('a'), bytes);
  await batch.commit(table as never);
  table.resetReadTxn();
  expect(Buffer.compare(table.get(key('a'))!, bytes)).toBe(0);
});

test('a batch with an error rejects with its code and writes nothing; the next one succeeds', async () => {
  const table = openTable();
  const refused = new NativeBatch();
  refused.put(table, key('a'), Buffer.from('x'));
  refused.put(table, key(''), Buffer.from('x'));
  await expect(refused.commit(table as never)).rejects.toMatchObject({ code: badSize });
  table.resetReadTxn();
  expect(table.get(key('a'))).toBeUndefined();
  const next = new NativeBatch();
  next.put(table, key('a'), Buffer.from('y'));
  await next.commit(table as never);
  table.resetReadTxn();
  expect(table.get(key('a'))?.toString()).toBe('y');
});
