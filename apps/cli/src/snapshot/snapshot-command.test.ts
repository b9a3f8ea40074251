import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { gunzipSync, gzipSync } from 'node:zlib';
import { Client, loadKubeconfig } from '@annex/client';
import type { KubeObject } from '@annex/machinery';
import { nullLogger, parseOptions } from '@annex/runtime';
import { openDataDir, openStoreImage } from '@annex/storage';
import { tempFolder } from '@annex/testkit';
import { afterAll, describe, expect, it } from 'vitest';
import { startAnnex } from '../annex.ts';
import { printed } from '../printed.fixture.ts';
import { upOptions } from '../up-options.ts';
import { runRestore, runSnapshot } from './snapshot-command.ts';
import { maxSnapshotLineBytes } from './snapshot-file.ts';

const folder = tempFolder();
afterAll(() => folder[Symbol.dispose]());
let made = 0;
const newPath = () => join(folder.path, String(++made));

const run = (command: typeof runSnapshot, ...argv: string[]) => printed(() => command(argv, {}));

/** Creates a store directory with these values under `/registry/things/`. */
async function storeWith(values: Record<string, string | Uint8Array>): Promise<string> {
  const dir = newPath();
  const store = await openDataDir(dir, nullLogger);
  for (const [name, value] of Object.entries(values))
    await store.create(`/registry/things/${name}`, Buffer.from(value as string));
  await store.close();
  return dir;
}

async function valuesOf(dir: string): Promise<Record<string, string>> {
  using image = await openStoreImage(dir);
  return Object.fromEntries([...image.entries()].map(({ key, value }) => [key, String(value)]));
}

/** Creates a file with the lines of a snapshot. */
function fileOf(lines: readonly string[]): string {
  const file = newPath();
  writeFileSync(file, gzipSync(lines.map((line) => `${line}\n`).join('')));
  return file;
}

const header = (fields = {}) =>
  JSON.stringify({ annexSnapshot: 1, annex: '0.1.0', revision: 99_999, ...fields });
const entry = (n: number) =>
  JSON.stringify({ key: `/${n}`, createRevision: n, modRevision: n, version: 1, value: `{"n":${n}}` });

describe('a snapshot', () => {
  it('contains JSON lines, is readable by its owner only, and restores binary values', async () => {
    const binary = Uint8Array.of(0xff, 0xfe, 0);
    const dir = await storeWith({ a: '{"kind":"Thing"}', b: binary });
    const file = newPath();
    const { code, out } = await run(runSnapshot, file, `--store-dir=${dir}`);
    expect([code, out]).toEqual([0, `${file}: 2 entries at revision 3, ${statSync(file).size} bytes\n`]);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const lines = gunzipSync(readFileSync(file)).toString().trim().split('\n');
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
      { annexSnapshot: 1, annex: expect.any(String), takenAt: expect.any(String), revision: 3 },
      { key: '/registry/things/a', createRevision: 2, modRevision: 2, version: 1, value: '{"kind":"Thing"}' },
      { key: '/registry/things/b', createRevision: 3, modRevision: 3, version: 1, base64: '//4A' },
      { end: 2 },
    ]);
    const to = newPath();
    expect((await run(runRestore, file, `--store-dir=${to}`)).code).toBe(0);
    expect(await valuesOf(to)).toEqual(await valuesOf(dir));
  });

  it('is taken while a server runs, and restored when it has stopped: watches of clients expire', async () => {
    const dataDir = newPath();
    const argv = [`--data-dir=${dataDir}`, '--port=0', '--controllers=', '--log-level=error'];
    const parsed = parseOptions(upOptions, argv, {});
    if (parsed.kind !== 'config') throw new Error('the options are invalid');
    const path = '/api/v1/namespaces/default/configmaps';
    const put = (client: Client, data: Record<string, string>, method = 'PUT') =>
      client.json<KubeObject>({
        method,
        path: method === 'PUT' ? `${path}/mine` : path,
        body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'mine' }, data },
      });
    const file = newPath();
    const first = await startAnnex(parsed.config);
    const client = new Client(await loadKubeconfig(first.kubeconfig));
    const then = await put(client, { at: 'then' }, 'POST');
    expect((await run(runSnapshot, file, `--data-dir=${dataDir}`)).err).toBe('');
    const later = await put(client, { at: 'later' });
    expect(await run(runRestore, file, `--data-dir=${dataDir}`)).toMatchObject({
      code: 1,
      err: expect.stringContaining(`is held by process ${process.pid}`),
    });
    client.close();
    await first.stop();
    expect(await run(runRestore, file, `--data-dir=${dataDir}`)).toMatchObject({ code: 0, err: '' });
    const second = await startAnnex(parsed.config);
    const again = new Client(await loadKubeconfig(second.kubeconfig));
    try {
      expect(await again.json({ path: `${path}/mine` })).toEqual(then);
      const watch = await again.send({
        path: `${path}?watch=true&resourceVersion=${later.metadata.resourceVersion}`,
        timeoutMs: 5000,
      });
      expect(String(watch.body)).toContain('"code":410');
    } finally {
      again.close();
      await second.stop();
    }
  });

  it('with a line longer than maxSnapshotLineBytes is rejected, and names the line', async () => {
    // The file is read in chunks of 256 KiB.
    const file = fileOf([header(), entry(1), 'x'.repeat(maxSnapshotLineBytes + 2 ** 18)]);
    const { code, err } = await run(runRestore, file, `--store-dir=${newPath()}`);
    expect([code, err]).toEqual([1, expect.stringContaining('line 3 is too long')]);
  });

  it('of a directory without a store is rejected, and so is a file that cannot be written', async () => {
    const empty = newPath();
    expect(await run(runSnapshot, newPath(), `--data-dir=${empty}`)).toMatchObject({
      code: 1,
      err: expect.stringContaining(`STORE_MISSING: ${empty}/store contains no store\n`),
    });
    const dir = await storeWith({ a: '1' });
    const file = join(newPath(), 'in', 'none');
    const { code, err } = await run(runSnapshot, file, `--store-dir=${dir}`);
    expect([code, err]).toEqual([1, expect.stringContaining(`cannot write ${file}: ENOENT`)]);
  });
});

describe('a restore', () => {
  const whole = [header(), entry(2), entry(3), JSON.stringify({ end: 2 })];
  const wholeBytes = readFileSync(fileOf(whole));

  it.each<[why: string, file: () => string, said: string]>([
    ['does not exist', newPath, 'ENOENT'],
    ['is not compressed', () => fileWith(whole.join('\n')), 'incorrect header check'],
    ['is truncated', () => fileWith(wholeBytes.subarray(0, -12)), 'unexpected end of file'],
    ['has a flipped bit', () => fileWith(flipped(wholeBytes)), ''],
    ['lacks its end', () => fileOf(whole.slice(0, -1)), 'entries are missing'],
    ['lacks an entry', () => fileOf(whole.toSpliced(1, 1)), 'entries are missing'],
    ['continues after its end', () => fileOf([...whole, entry(4)]), 'there is data after its end'],
    [
      'has an entry twice',
      () => fileOf(whole.toSpliced(2, 1, entry(2))),
      'cannot be there beside the others',
    ],
    [
      'has an entry without a revision',
      () => fileOf(whole.toSpliced(1, 1, '{"key":"/a"}')),
      'line 2 is not an entry',
    ],
    ['is another file', () => fileOf(['{"apiVersion":"v1"}']), 'it is not a snapshot'],
    ['is empty', () => fileOf([]), 'it is not a snapshot'],
    [
      'is of a later version',
      () => fileOf([header({ annexSnapshot: 2 })]),
      'format 2 of Annex 0.1.0; the supported format is 1',
    ],
  ])('rejects a file that %s, and does not change the store', async (_why, file, said) => {
    const dir = await storeWith({ mine: 'old' });
    const { code, err } = await run(runRestore, file(), `--store-dir=${dir}`);
    expect([code, err]).toEqual([1, expect.stringContaining(said)]);
    expect(err).toMatch(/^FILE_UNREADABLE: cannot restore [^\n]*\n {2}Check the path/);
    expect(await valuesOf(dir)).toEqual({ '/registry/things/mine': 'old' });
  });

  it(
    'that is killed leaves the old store intact, and the next one cleans up',
    { timeout: 60_000 },
    async () => {
      const dir = await storeWith({ mine: 'old' });
      const count = 6000;
      const numbers = Array.from({ length: count }, (_, i) => i + 2);
      const file = fileOf([header(), ...numbers.map(entry), JSON.stringify({ end: count })]);
      const main = fileURLToPath(new URL('../../bin/annex.js', import.meta.url));
      const child = spawn(process.execPath, [main, 'restore', file, `--store-dir=${dir}`], {
        stdio: 'inherit',
      });
      const exited = once(child, 'exit');
      const aside = () => readdirSync(dir).find((name) => name.startsWith('restoring-'));
      const begun = () => existsSync(join(dir, aside() ?? 'not yet', 'data.mdb'));
      while (!begun() && child.exitCode === null) await setImmediate();
      child.kill('SIGKILL');
      expect((await exited)[1]).toBe('SIGKILL');
      expect(aside()).toBeDefined();
      expect(await valuesOf(dir)).toEqual({ '/registry/things/mine': 'old' });
      expect((await run(runRestore, file, `--store-dir=${dir}`)).err).toBe('');
      expect(aside()).toBeUndefined();
      expect(Object.keys(await valuesOf(dir))).toHaveLength(count);
    },
  );
});

function fileWith(content: string | Uint8Array): string {
  const file = newPath();
  writeFileSync(file, content);
  return file;
}

function flipped(bytes: Uint8Array): Uint8Array {
  const copy = Uint8Array.from(bytes);
  const at = copy.length >> 1;
  copy[at] = (copy[at] ?? 0) ^ 1;
  return copy;
}
