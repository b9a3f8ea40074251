import { chmodSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tempFolder } from '@annex/testkit';
import { afterAll, afterEach, expect, it } from 'vitest';
import type { ImageEntry } from './lmdb-image.ts';
import { openLmdbStore, restoreStore } from './open-lmdb-store.ts';

const folder = tempFolder();
const umask = process.umask();
afterEach(() => void process.umask(umask));
afterAll(() => folder[Symbol.dispose]());
let directories = 0;

/** The permissions of a directory and of its files. */
function modesOf(dir: string): Record<string, string> {
  // The lock link has no permissions.
  const names = readdirSync(dir).filter((name) => name !== 'held-by');
  const modes = names.map((name) => [name, mode(join(dir, name))] as const);
  return { '.': mode(dir), ...Object.fromEntries(modes) };
}

const mode = (path: string) => (statSync(path).mode & 0o7777).toString(8);
const expected = { '.': '700', 'data.mdb': '600', 'lock.mdb': '600', 'clean-close.json': '600' };

async function useStore(dir: string): Promise<void> {
  const store = await openLmdbStore({ dir });
  await store.create('/registry/secrets/default/token', Buffer.from('secret'));
  await store.close();
}

it.each<[what: string, prepare: (dir: string) => void]>([
  ['is new', () => undefined],
  ['existed, readable for all users', (dir) => (mkdirSync(dir), chmodSync(dir, 0o755))],
  ['existed, with all permissions for all users', (dir) => (mkdirSync(dir), chmodSync(dir, 0o777))],
])('only the owner may read a store whose directory %s', async (_what, prepare) => {
  const dir = join(folder.path, String(++directories));
  prepare(dir);
  process.umask(0);
  await useStore(dir);
  expect(modesOf(dir)).toEqual(expected);
});

it('a store that others may read, as earlier versions made it, is made private when it is opened', async () => {
  const dir = join(folder.path, String(++directories));
  await useStore(dir);
  for (const name of ['data.mdb', 'lock.mdb', 'clean-close.json']) chmodSync(join(dir, name), 0o644);
  chmodSync(dir, 0o755);
  const store = await openLmdbStore({ dir });
  expect(modesOf(dir)).toMatchObject({ '.': '700', 'data.mdb': '600', 'lock.mdb': '600' });
  await store.close();
});

it('a directory with files of others keeps its permissions; the files of the store are private', async () => {
  const dir = join(folder.path, String(++directories));
  mkdirSync(dir);
  chmodSync(dir, 0o755);
  writeFileSync(join(dir, 'notes.txt'), 'of somebody else', { mode: 0o644 });
  await useStore(dir);
  expect(modesOf(dir)).toEqual({ ...expected, '.': '755', 'notes.txt': '644' });
});

it('files of a restore are private from their creation on', async () => {
  const dir = join(folder.path, String(++directories));
  const seen: string[] = [];
  process.umask(0);
  await restoreStore(dir, {
    revision: 2,
    async *entries(): AsyncGenerator<ImageEntry> {
      const aside = join(
        dir,
        readdirSync(dir).find((name) => name.startsWith('restoring-'))!,
      );
      seen.push(mode(dir), ...Object.values(modesOf(aside)));
      yield { key: '/a', value: Buffer.from('1'), createRevision: 2, modRevision: 2, version: 1 };
    },
  });
  expect(seen).toEqual(['700', '700', '600', '600']);
  expect(modesOf(dir)).toEqual({ '.': '700', 'data.mdb': '600', 'clean-close.json': '600' });
});
