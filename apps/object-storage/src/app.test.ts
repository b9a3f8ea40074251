import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseOptions } from '@annex/runtime';
import { createEtcdStore, type Store } from '@annex/storage';
import { createTestCA, type RunningProcess, startProcess, tempFolder } from '@annex/testkit';
import { afterAll, describe, expect, test } from 'vitest';
import { objectStorageConflicts, objectStorageOptions } from './options.ts';
import { objectStorageProcess } from './run.fixture.ts';

const folder = tempFolder();
afterAll(() => folder[Symbol.dispose]());

const ca = createTestCA('etcd-ca');
const serving = ca.issue({ commonName: 'object-storage', ipAddresses: ['127.0.0.1'] });
const client = ca.issue({ commonName: 'apiserver-etcd-client' });
const file = (name: string, content: string) => {
  const path = join(folder.path, name);
  writeFileSync(path, content, { mode: 0o600 });
  return path;
};
const tlsArgs = [
  `--cert-file=${file('server.crt', serving.certificate)}`,
  `--key-file=${file('server.key', serving.key)}`,
  `--trusted-ca-file=${file('ca.crt', ca.certificate)}`,
  '--client-cert-auth',
];

function start(dataDir: string, ...more: string[]): Promise<RunningProcess> {
  const args = [
    ...objectStorageProcess,
    '--data-dir',
    join(folder.path, dataDir),
    '--listen-client-urls',
    'https://127.0.0.1:0',
  ];
  return startProcess(process.execPath, {
    args: [...args, '--listen-metrics-urls', 'http://127.0.0.1:0', ...tlsArgs, ...more],
    until: /^object-storage is ready in \S+ s: (\S+) (\S+)$/,
  });
}

const connect = (running: RunningProcess): Promise<Store> =>
  createEtcdStore({
    servers: [running.ready![1]!],
    ca: ca.certificate,
    cert: client.certificate,
    key: client.key,
  });

describe('object-storage as a process', () => {
  test('it serves the etcd API with mutual TLS and /health, and stops cleanly', async () => {
    const running = await start('clean');
    const store = await connect(running);
    const revision = await store.create('/registry/things/a', Buffer.from('x'));
    const health = await fetch(`${running.ready![2]}/health`);
    expect([health.status, await health.json()]).toEqual([200, { health: 'true', reason: '' }]);
    const metrics = await (await fetch(`${running.ready![2]}/metrics`)).text();
    expect(metrics).toContain('annex_store_revision');
    expect((await fetch(`${running.ready![2]}/anything`)).status).toBe(404);
    expect(await running.stop()).toBe(0);
    await store.close();

    const again = await start('clean');
    const reopened = await connect(again);
    expect((await reopened.get('/registry/things/a')).entry?.modRevision).toBe(revision);
    await reopened.close();
    expect(await again.stop()).toBe(0);
  });

  test('--ephemeral stores nothing, and an http URL serves gRPC and health checks', async () => {
    const running = await startProcess(process.execPath, {
      args: [
        ...objectStorageProcess,
        '--ephemeral',
        '--data-dir',
        join(folder.path, 'ephemeral'),
        '--listen-client-urls',
        'http://127.0.0.1:0',
      ],
      until: /^object-storage is ready in \S+ s: (\S+)$/,
    });
    const url = running.ready![1]!;
    const store = await createEtcdStore({ servers: [url] });
    await store.create('/registry/things/a', Buffer.from('x'));
    expect((await store.get('/registry/things/a')).entry?.value.toString()).toBe('x');
    await store.close();
    expect(await (await fetch(`${url}/health`)).json()).toEqual({ health: 'true', reason: '' });
    expect(await (await fetch(`${url}/version`)).json()).toMatchObject({ etcdserver: '3.5.21' });
    expect(existsSync(join(folder.path, 'ephemeral'))).toBe(false);
    expect(await running.stop()).toBe(0);
  });

  test('acknowledged writes survive kill -9', async () => {
    const first = await start('killed');
    const store = await connect(first);
    const acknowledged = new Map<string, number>();
    const writers = Array.from({ length: 8 }, async (_, writer) => {
      for (let i = 0; ; i++) {
        const key = `/registry/things/${writer}-${i}`;
        acknowledged.set(key, await store.create(key, Buffer.from(key)));
        if (acknowledged.size === 300) first.kill('SIGKILL');
      }
    });
    const results = await Promise.allSettled(writers);
    expect(results.map((r) => r.status === 'rejected' && (r.reason as { code: string }).code)).toEqual(
      Array.from({ length: 8 }, () => 'unavailable'),
    );
    await first.exited;
    await store.close();
    const second = await start('killed');
    const reopened = await connect(second);
    const { entries } = await reopened.list('/registry/things/');
    const there = new Map(entries.map((e) => [e.key, e.modRevision]));
    expect([...acknowledged].filter(([key, revision]) => there.get(key) !== revision)).toEqual([]);
    await reopened.close();
    await second.stop();
  });

  test('a second process on the same directory reports the first one', async () => {
    const holder = await start('held');
    const dataDir = join(folder.path, 'held');
    const args = [
      ...objectStorageProcess,
      '--data-dir',
      dataDir,
      '--listen-client-urls',
      'http://127.0.0.1:0',
    ];
    const second = await startProcess(process.execPath, { args });
    expect(await second.exited).toBe(1);
    expect(second.lines.join('\n')).toContain(`DATA_DIR_IN_USE: ${dataDir} is held by process ${holder.pid}`);
    await holder.stop();
  });
});

describe('options', () => {
  const cases: [string, string[], string[]][] = [
    ['defaults are valid', [], []],
    [
      'https needs a certificate',
      ['--listen-client-urls=https://127.0.0.1:2379'],
      ['https requires --cert-file and --key-file'],
    ],
    [
      'client certificates need CAs and https',
      ['--client-cert-auth'],
      [
        '--client-cert-auth requires --trusted-ca-file',
        '--client-cert-auth requires https in --listen-client-urls',
      ],
    ],
    [
      'values that are not URLs are rejected',
      ['--listen-client-urls=somewhere'],
      ['somewhere is not an http or https URL'],
    ],
  ];
  test.each(cases)('%s', (_name, argv, problems) => {
    const parsed = parseOptions(objectStorageOptions, argv, {}, objectStorageConflicts);
    expect(parsed.kind === 'errors' ? parsed.errors.map((e) => e.message) : []).toEqual(problems);
  });
});
