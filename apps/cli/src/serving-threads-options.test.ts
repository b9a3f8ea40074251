import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { Client, loadKubeconfig } from '@annex/client';
import type { KubeObject } from '@annex/machinery';
import { tempFolder } from '@annex/testkit';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { post } from './replicas.fixture.ts';
import { type RunningAnnex, runAnnex } from './running-annex.fixture.ts';

/** Connections: the system gives all of them to one thread once in 4,000 runs. */
const connections = 13;
const secrets = '/api/v1/namespaces/default/secrets';

const folder = tempFolder();
let annex: RunningAnnex;
let clients: Client[];

beforeAll(async () => {
  const encryption = join(folder.path, 'encryption.json');
  const key = { name: 'a', secret: randomBytes(32).toString('base64') };
  const resources = [{ resources: ['secrets'], providers: [{ aesgcm: { keys: [key] } }, { identity: {} }] }];
  const config = { apiVersion: 'apiserver.config.k8s.io/v1', kind: 'EncryptionConfiguration', resources };
  writeFileSync(encryption, JSON.stringify(config));
  annex = await runAnnex(
    '--serving-threads=2',
    `--encryption-provider-config=${encryption}`,
    '--shutdown-delay-duration=2s',
  );
  const kubeconfig = await loadKubeconfig(annex.kubeconfig);
  clients = Array.from({ length: connections }, () => new Client(kubeconfig));
}, 60_000);
afterAll(() => {
  for (const client of clients) client.close();
  folder[Symbol.dispose]();
});

const withEach = <T>(call: (client: Client, i: number) => Promise<T>): Promise<T[]> =>
  Promise.all(clients.map(call));

it('threads read the encrypted values of each other, and notify their watches', async () => {
  const data = { a: Buffer.from('plain').toString('base64') };
  const watches = clients.map((client) => client.watch<KubeObject>(secrets, { resourceVersion: '0' }));
  await withEach((client, i) => post(client, secrets, { metadata: { name: `s-${i}` }, data }));
  const read = await withEach((client, i) =>
    client.json<KubeObject & { data: unknown }>({ path: `${secrets}/s-${(i + 1) % connections}` }),
  );
  expect(read.map((one) => one.data)).toEqual(clients.map(() => data));
  const seen = await Promise.all(
    watches.map(async (watch) => {
      const names = new Set<string>();
      for await (const { object } of watch) {
        expect((object as unknown as { data: unknown }).data).toEqual(data);
        if (names.add(object.metadata.name ?? '').size === connections) return names.size;
      }
      return names.size;
    }),
  );
  expect(seen).toEqual(clients.map(() => connections));
});

it('all threads fail /readyz, and serve requests, during the delay of a shutdown', async () => {
  const status = async (client: Client, path: string) => (await client.send({ path })).status;
  const stopped = annex.stop();
  while ((await status(clients[0]!, '/readyz')) === 200) await setTimeout(5);
  await setTimeout(50);
  expect(await withEach((client) => status(client, '/readyz'))).toEqual(clients.map(() => 500));
  expect(await withEach((client) => status(client, `${secrets}/s-0`))).toEqual(clients.map(() => 200));
  await stopped;
}, 60_000);
