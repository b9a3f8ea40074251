import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { nullLogger } from '@annex/runtime';
import { createMemoryStore, openDataDir, openStoreImage, startEtcdServer, type Store } from '@annex/storage';
import { tempFolder } from '@annex/testkit';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { printed } from '../printed.fixture.ts';
import { runRestore, runSnapshot } from './snapshot-command.ts';

const folder = tempFolder();
afterAll(() => folder[Symbol.dispose]());
let made = 0;
const newPath = () => join(folder.path, String(++made));
const run = (command: typeof runSnapshot, ...argv: string[]) => printed(() => command(argv, {}));
const bytes = (text: string) => Buffer.from(text);

/** Creates a directory with these values, under `/registry/`, and writes a snapshot of it. */
async function snapshotOf(values: Record<string, string>): Promise<string> {
  const [dir, file] = [newPath(), newPath()];
  const store = await openDataDir(dir, nullLogger);
  for (const [name, value] of Object.entries(values)) await store.create(`/registry/${name}`, bytes(value));
  await store.close();
  expect((await run(runSnapshot, file, `--store-dir=${dir}`)).code).toBe(0);
  return file;
}

describe('etcd that servers use', () => {
  let served: Store;
  let server: Awaited<ReturnType<typeof startEtcdServer>>;
  let etcd: string;
  beforeEach(async () => {
    served = createMemoryStore();
    server = await startEtcdServer(served, { listen: ['http://127.0.0.1:0'] });
    etcd = `--etcd-servers=${server.urls.join(',')}`;
  });
  afterEach(async () => {
    await server.stop();
    await served.close();
  });
  const content = async () => {
    const { entries } = await served.list('/registry/');
    return Object.fromEntries(entries.map(({ key, value }) => [key, String(value)]));
  };

  it('gets the content of a snapshot of a directory, as changes of what differs', async () => {
    const file = await snapshotOf({ 'things/a': '1', 'things/b': '2', 'things/c': '3' });
    const same = await served.create('/registry/things/a', bytes('1'));
    await served.create('/registry/things/b', bytes('later'));
    await served.create('/registry/things/z', bytes('created after the snapshot'));
    const { code, out } = await run(runRestore, file, etcd);
    expect([code, out]).toEqual([0, expect.stringMatching(/: 3 entries of \S+, 3 changes\n$/)]);
    expect(await content()).toEqual({
      '/registry/things/a': '1',
      '/registry/things/b': '2',
      '/registry/things/c': '3',
    });
    expect((await served.get('/registry/things/a')).entry?.modRevision).toBe(same);
  });

  it('is restored into a directory', async () => {
    const file = newPath();
    const created = await served.create('/registry/things/a', bytes('1'));
    await served.create('/registry/things/b', bytes('2'));
    expect((await run(runSnapshot, file, etcd)).code).toBe(0);
    const dir = newPath();
    expect((await run(runRestore, file, `--store-dir=${dir}`)).code).toBe(0);
    using image = await openStoreImage(dir);
    const [first, second, ...more] = [...image.entries()];
    expect(first).toMatchObject({ key: '/registry/things/a', modRevision: created, version: 1 });
    expect([String(second?.value), more]).toEqual(['2', []]);
  });

  it('keeps what running servers write about themselves, and Events expire', async () => {
    const file = await snapshotOf({ 'masterleases/old': 'x', 'things/a': '1' });
    await served.create('/registry/masterleases/new', bytes('y'));
    await served.create('/registry/events/default/e', bytes('{}'));
    const taken = newPath();
    expect((await run(runSnapshot, taken, etcd)).code).toBe(0);
    const lines = gunzipSync(readFileSync(taken)).toString().trim().split('\n').slice(1, -1);
    const due = lines.map((line) => (JSON.parse(line) as { expiresAt?: number }).expiresAt ?? 0);
    expect(due[0]! - due[1]!).toBe(3_600_000);
    await run(runRestore, file, etcd);
    expect(Object.keys(await content())).toEqual(['/registry/masterleases/new', '/registry/things/a']);
  });

  it('stays as it is if the file is cut off', async () => {
    const file = await snapshotOf({ 'things/a': '1' });
    writeFileSync(
      file,
      gzipSync(
        gunzipSync(readFileSync(file))
          .toString()
          .replace(/\{"end".*/s, ''),
      ),
    );
    await served.create('/registry/things/z', bytes('z'));
    const { code, err } = await run(runRestore, file, etcd);
    expect([code, err]).toEqual([1, expect.stringContaining('FILE_UNREADABLE')]);
    expect(await content()).toEqual({ '/registry/things/z': 'z' });
  });

  it('is named if it does not respond', async () => {
    await server.stop();
    const file = await snapshotOf({ 'things/a': '1' });
    for (const command of [runSnapshot, runRestore]) {
      const { code, err } = await run(command, file, etcd, '--etcd-prefix=/other');
      expect([code, err]).toEqual([
        1,
        expect.stringContaining(`STORE_UNREACHABLE: cannot reach ${server.urls[0]}`),
      ]);
    }
  });
});
