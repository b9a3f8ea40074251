import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  cpSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { createEtcdStore } from '@annex/storage';
import { Client, loadKubeconfig } from '@annex/client';
import type { KubeObject } from '@annex/machinery';
import { type RunningProcess, startProcess, tempFolder } from '@annex/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { annexCommand } from '../runners/annex-command.ts';

const annex = (...args: string[]) => startProcess(process.execPath, { args: [annexCommand, ...args] });
const folder = tempFolder();
afterAll(() => folder[Symbol.dispose]());

/** A program with a store directory. */
interface Program {
  /** The directory of the store. */
  store: string;
  start(): Promise<RunningProcess>;
  write(running: RunningProcess): Promise<void>;
  read(running: RunningProcess): Promise<string | undefined>;
}

const dataDir = join(folder.path, 'single');
const kubeconfig = join(dataDir, 'admin.kubeconfig');
const secrets = '/api/v1/namespaces/default/secrets';

async function withClient<T>(use: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client(await loadKubeconfig(kubeconfig));
  try {
    return await use(client);
  } finally {
    client.close();
  }
}

const annexUp: Program = {
  store: join(dataDir, 'store'),
  start: () =>
    startProcess(process.execPath, {
      args: [annexCommand, 'up', `--data-dir=${dataDir}`, '--port=0', '--controllers=', '--log-level=error'],
      until: /is ready in/,
    }),
  write: () =>
    withClient(async (client) => {
      const body = { metadata: { name: 'mine' }, stringData: { sky: 'blue' } };
      await client.json({ method: 'POST', path: secrets, body });
    }),
  read: () =>
    withClient(async (client) => {
      const { data } = await client.json<KubeObject & { data: Record<string, string> }>({
        path: `${secrets}/mine`,
      });
      return Buffer.from(data.sky!, 'base64').toString();
    }),
};

async function withStore<T>(
  running: RunningProcess,
  use: (store: Awaited<ReturnType<typeof createEtcdStore>>) => Promise<T>,
) {
  const store = await createEtcdStore({ servers: [running.ready![1]!] });
  try {
    return await use(store);
  } finally {
    await store.close();
  }
}

const objectStorage: Program = {
  store: join(folder.path, 'separate'),
  start: () =>
    startProcess(process.execPath, {
      args: [
        annexCommand,
        'object-storage',
        `--data-dir=${objectStorage.store}`,
        '--listen-client-urls=http://127.0.0.1:0',
        '--log-level=error',
      ],
      until: /^object-storage is ready in \S+ s: (\S+)$/,
    }),
  write: (running) =>
    withStore(
      running,
      async (store) => void (await store.create('/registry/secrets/default/mine', Buffer.from('blue'))),
    ),
  read: (running) =>
    withStore(running, async (store) => {
      const { entry } = await store.get('/registry/secrets/default/mine');
      return entry && String(Buffer.from(entry.value));
    }),
};

describe.each<[string, Program]>([
  ['annex up', annexUp],
  ['object-storage', objectStorage],
])('%s on a damaged store', (_name, program) => {
  const { store } = program;
  const data = join(store, 'data.mdb');
  const kept = `${store}.kept`;
  const snapshot = `${store}.snapshot`;
  const umask = process.umask();

  beforeAll(async () => {
    // Files are private, even in a directory that an administrator created with another umask.
    mkdirSync(store, { recursive: true });
    chmodSync(store, 0o755);
    process.umask(0);
    await using running = await program.start().finally(() => process.umask(umask));
    await program.write(running);
    const taken = await annex('snapshot', snapshot, `--store-dir=${store}`);
    expect(await taken.exited).toBe(0);
    expect(await running.stop()).toBe(0);
    cpSync(store, kept, { recursive: true });
  });

  it('only the owner may read the store, in a directory that existed before', () => {
    const modes = readdirSync(store).map((name) => [name, statSync(join(store, name)).mode & 0o777]);
    expect(Object.fromEntries(modes)).toEqual({
      'clean-close.json': 0o600,
      'data.mdb': 0o600,
      'lock.mdb': 0o600,
    });
    expect(statSync(store).mode & 0o777).toBe(0o700);
  });

  it.each<[what: string, damage: () => void, words: string]>([
    [
      'random bytes',
      () => writeFileSync(data, randomBytes(200_000)),
      'is damaged: meta page 0 is not an LMDB meta page',
    ],
    ['a file that is cut off', () => truncateSync(data, 40_960), 'is damaged: it is cut off: page'],
    ['an empty file', () => truncateSync(data, 0), 'is damaged: it is empty'],
    ['no file', () => rmSync(data), 'is missing, but the directory contained a store'],
  ])('rejects %s with an error that contains the restore command', async (_what, damage, words) => {
    rmSync(store, { recursive: true });
    cpSync(kept, store, { recursive: true });
    damage();
    const refused = await program.start().then(
      () => 'it started',
      (error: Error) => error.message,
    );
    expect(refused).toContain(`STORE_DAMAGED: ${data} ${words}`);
    expect(refused).toContain('It was intact at 20');
    expect(refused).toContain(`To restore a snapshot, run: annex restore FILE --store-dir=${store}`);
    expect(refused).not.toMatch(/SIG[A-Z]+/);
  });

  it('that is truncated while it runs reports the damage, and the next start refuses it', async () => {
    rmSync(store, { recursive: true });
    cpSync(kept, store, { recursive: true });
    await using running = await program.start();
    truncateSync(data, 40_960);
    // A read of a missing page before the next check ends the process: nothing prevents it for a mapped file.
    const noticed = running.waitFor(/was truncated while it was open/).then(() => 'noticed');
    expect(['noticed', 'SIGBUS']).toContain(await Promise.race([noticed, running.exited]));
    noticed.catch(() => undefined);
    await expect(program.write(running)).rejects.toThrow();
    expect([0, 'SIGBUS']).toContain(await running.stop());
    const refused = await program.start().then(
      () => 'it started',
      (error: Error) => error.message,
    );
    expect(refused).toContain(`STORE_DAMAGED: ${data} is damaged: `);
    expect(refused).toContain(`To restore a snapshot, run: annex restore FILE --store-dir=${store}`);
  });

  it('continues after that command', async () => {
    writeFileSync(data, randomBytes(200_000));
    const restored = await annex('restore', snapshot, `--store-dir=${store}`);
    expect(await restored.exited).toBe(0);
    await using running = await program.start();
    expect(await program.read(running)).toBe('blue');
    expect(await running.stop()).toBe(0);
  });
});
