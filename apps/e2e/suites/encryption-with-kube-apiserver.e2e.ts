import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client, loadKubeconfig } from '@annex/client';
import { createEtcdStore, type Store } from '@annex/storage';
import { tempFolder } from '@annex/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { requireReference, startReference } from '../runners/reference-runner.ts';
import { startSingle } from '../runners/single-runner.ts';

const suite = 'encrypted values, shared with a real kube-apiserver';

/** Each provider encrypts another resource. */
const providers = [
  ['aescbc', 'secrets'],
  ['aesgcm', 'configmaps'],
  ['secretbox', 'serviceaccounts'],
] as const;

const configuration = `apiVersion: apiserver.config.k8s.io/v1
kind: EncryptionConfiguration
resources:
${providers
  .map(
    ([provider, resource]) => `- resources: [${resource}]
  providers:
  - ${provider}: {keys: [{name: first, secret: ${Buffer.alloc(32, provider).toString('base64')}}]}`,
  )
  .join('\n')}
`;

describe.runIf(requireReference(suite))(suite, () => {
  const opened = new AsyncDisposableStack();
  const clients = new Map<string, Client>();
  let store: Store;
  beforeAll(async () => {
    const file = join(opened.use(tempFolder()).path, 'encryption.yaml');
    writeFileSync(file, configuration);
    const encrypted = `--encryption-provider-config=${file}`;
    // Annex stores JSON.
    const reference = opened.use(await startReference(encrypted, '--storage-media-type=application/json'));
    const etcd = `http://127.0.0.1:${Number(new URL(reference.url).port) + 1}`;
    const annex = opened.use(await startSingle({ args: [`--etcd-servers=${etcd}`, encrypted] }));
    store = await createEtcdStore({ servers: [etcd] });
    opened.defer(() => store.close());
    for (const [name, runner] of Object.entries({ annex, 'kube-apiserver': reference })) {
      const client = new Client(await loadKubeconfig(runner.kubeconfig));
      opened.defer(() => client.close());
      clients.set(name, client);
    }
  }, 180_000);
  afterAll(() => opened.disposeAsync());

  const directions = [
    ['annex', 'kube-apiserver'],
    ['kube-apiserver', 'annex'],
  ] as const;
  describe.each(directions)('what %s writes, %s reads', (writer, reader) => {
    it.each(providers)('%s', async (provider, resource) => {
      const path = `/api/v1/namespaces/default/${resource}`;
      const metadata = { name: `by-${writer}`, annotations: { color: 'blue' } };
      await clients.get(writer)!.json({ method: 'POST', path, body: { metadata } });
      const { entry } = await store.get(`/registry/${resource}/default/by-${writer}`);
      const stored = Buffer.from(entry!.value).toString('latin1');
      expect(stored.startsWith(`k8s:enc:${provider}:v1:first:`), stored.slice(0, 40)).toBe(true);
      const read = clients.get(reader)!.json({ path: `${path}/by-${writer}` });
      await expect(read).resolves.toMatchObject({ metadata });
      const list = (await clients.get(reader)!.json({ path })) as { items: unknown[] };
      expect(list.items).toContainEqual(
        expect.objectContaining({ metadata: expect.objectContaining(metadata) }),
      );
    });
  });
});
