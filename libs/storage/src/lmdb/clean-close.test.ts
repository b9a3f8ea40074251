import { appendFileSync, readFileSync } from 'node:fs';
import { tempFolder } from '@annex/testkit';
import { expect, it } from 'vitest';
import { maxCleanCloseBytes, readCleanClose } from './clean-close.ts';
import { openLmdbStore } from './open-lmdb-store.ts';
import { cleanCloseFile } from './store-files.ts';

it('a note of an orderly stop that is larger than maxCleanCloseBytes is ignored', async () => {
  const folder = tempFolder();
  const store = await openLmdbStore({ dir: folder.path });
  const revision = await store.create('/a', Buffer.of(1));
  await store.close();
  const path = cleanCloseFile(folder.path);
  const fill = (bytes: number) => appendFileSync(path, ' '.repeat(bytes - readFileSync(path).length));
  fill(maxCleanCloseBytes);
  expect(readCleanClose(folder.path)?.revision).toBe(revision);
  fill(maxCleanCloseBytes + 1);
  expect(readCleanClose(folder.path)).toBeUndefined();
});
