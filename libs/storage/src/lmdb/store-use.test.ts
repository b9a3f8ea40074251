import { closeSync, existsSync, openSync, readFileSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { tempFolder } from '@annex/testkit';
import { afterAll, describe, expect, it, vi } from 'vitest';
import type { Store, StoreError } from '../store.ts';
import { openLmdbStore } from './open-lmdb-store.ts';
import { maxStoreUseBytes } from './store-use.ts';

const folder = tempFolder();
afterAll(() => folder[Symbol.dispose]());
let directories = 0;

const useOf = (dir: string): string => join(dir, 'in-use.json');
const isChecked = (dir: string): unknown =>
  (JSON.parse(readFileSync(useOf(dir), 'utf8')) as { checked: boolean }).checked;
const opened = (dir: string, onDamage?: (error: StoreError) => void): Promise<Store> =>
  openLmdbStore({ dir, checkAfterMilliseconds: 0, ...(onDamage === undefined ? {} : { onDamage }) });

/** Returns a directory as a killed process leaves it; `edit` changes the record of its use. */
async function killed(edit: (use: Record<string, unknown>) => void = () => undefined): Promise<string> {
  const dir = join(folder.path, String(++directories));
  const store = await opened(dir);
  for (const name of ['a', 'b'])
    await store.create(`/registry/things/${name}`, Buffer.from(`the value of ${name}`));
  const use = JSON.parse(readFileSync(useOf(dir), 'utf8')) as Record<string, unknown>;
  await store.close();
  edit(use);
  rmSync(join(dir, 'clean-close.json'));
  writeFileSync(useOf(dir), JSON.stringify(use));
  return dir;
}

/** Changes a value in the data file, which stays the same file. */
function damage(dir: string): void {
  const path = join(dir, 'data.mdb');
  const at = readFileSync(path).lastIndexOf('the value of a');
  const fd = openSync(path, 'r+');
  writeSync(fd, 'THE', at);
  closeSync(fd);
}

const damaged = { code: 'damaged', message: expect.stringContaining('is not what was written') as string };

// Only Linux names its boots.
describe.runIf(existsSync('/proc/sys/kernel/random/boot_id'))('after a kill of the process', () => {
  it('a store opens without a check, which follows', async () => {
    const dir = await killed();
    const store = await opened(dir);
    expect(isChecked(dir)).toBe(false);
    await store.create('/registry/things/c', Buffer.from('c'));
    await vi.waitUntil(() => isChecked(dir) === true, { timeout: 30_000 });
    expect((await store.list('')).entries.map(({ key }) => key.slice(-1))).toEqual(['a', 'b', 'c']);
    await store.close();
    expect([existsSync(useOf(dir)), existsSync(join(dir, 'clean-close.json'))]).toEqual([false, true]);
  });

  it('damage is found while the store is open, and by the next start', async () => {
    const dir = await killed();
    damage(dir);
    const found = Promise.withResolvers<StoreError>();
    const store = await opened(dir, found.resolve);
    await expect(store.list('')).rejects.toMatchObject(damaged);
    expect(await found.promise).toMatchObject(damaged);
    await expect(store.get('/registry/things/b')).rejects.toMatchObject(damaged);
    await store.close();
    await expect(opened(dir)).rejects.toMatchObject(damaged);
  });

  it('a store that was closed before its check is checked by the next start', async () => {
    const dir = await killed();
    const store = await openLmdbStore({ dir, checkAfterMilliseconds: 60_000 });
    await store.close();
    expect(existsSync(join(dir, 'clean-close.json'))).toBe(false);
    damage(dir);
    await expect(opened(dir)).rejects.toMatchObject(damaged);
  });

  it.each<[what: string, edit: (use: Record<string, unknown>) => void]>([
    ['that ended before its check', (use) => (use.checked = false)],
    ['of another boot', (use) => (use.boot = 'another')],
    ['of another data file', (use) => (use.file = '1:2')],
    ['of another format', (use) => (use.annexStore = 2)],
    ['whose record is longer than maxStoreUseBytes', (use) => (use.more = 'x'.repeat(maxStoreUseBytes))],
  ])('a store %s is checked before it opens', async (_what, edit) => {
    const dir = await killed(edit);
    damage(dir);
    await expect(opened(dir)).rejects.toMatchObject(damaged);
  });
});
