import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client, loadKubeconfig } from '@annex/client';
import { parseOptions } from '@annex/runtime';
import { createMemoryStore, type Store } from '@annex/storage';
import { tempFolder } from '@annex/testkit';
import { afterAll, expect, it, vi } from 'vitest';
import { startAnnex } from './annex.ts';
import { upOptions } from './up-options.ts';

const folder = tempFolder();
afterAll(() => folder[Symbol.dispose]());
const file = join(folder.path, 'encryption.yaml');
const secrets = '/api/v1/namespaces/default/secrets';
const key = '/registry/secrets/default/a';

const keyOf = (name: string) => `{name: ${name}, secret: ${Buffer.alloc(32, name).toString('base64')}}`;
const configure = (...names: string[]) =>
  writeFileSync(
    file,
    `apiVersion: apiserver.config.k8s.io/v1
kind: EncryptionConfiguration
resources: [{resources: [secrets], providers: [{aesgcm: {keys: [${names.map(keyOf).join()}]}}]}]`,
  );

async function startOn(store: Store, ...args: string[]) {
  const usual = ['--port=0', '--controllers=', '--log-level=off', `--encryption-provider-config=${file}`];
  const parsed = parseOptions(upOptions, ['--data-dir', folder.path, ...usual, ...args], {});
  if (parsed.kind !== 'config') throw new Error('the options are invalid');
  const annex = await startAnnex(parsed.config, { store: keptOpen(store) });
  const admin = new Client(await loadKubeconfig(annex.kubeconfig));
  return {
    admin,
    [Symbol.asyncDispose]: async () => {
      admin.close();
      await annex.stop();
    },
  };
}

/** The same store, which stays open when Annex stops. */
function keptOpen(store: Store): Store {
  const { capabilities } = store;
  return {
    capabilities,
    get revision() {
      return store.revision;
    },
    currentRevision: () => store.currentRevision(),
    get: (...args) => store.get(...args),
    list: (...args) => store.list(...args),
    create: (...args) => store.create(...args),
    update: (...args) => store.update(...args),
    delete: (...args) => store.delete(...args),
    watch: (...args) => store.watch(...args),
    compact: (...args) => store.compact(...args),
    close: async () => {},
  };
}

it('a key is rotated while Annex runs, and a lost key is reported', async () => {
  const store = createMemoryStore();
  const keyOfStored = async () =>
    /^k8s:enc:aesgcm:v1:(.*?):/.exec(
      Buffer.from((await store.get(key)).entry!.value).toString('latin1'),
    )?.[1];
  configure('first');
  {
    await using annex = await startOn(store, '--encryption-provider-config-automatic-reload');
    const body = { metadata: { name: 'a' }, stringData: { color: 'blue' } };
    await annex.admin.json({ method: 'POST', path: secrets, body });
    await annex.admin.json({
      method: 'POST',
      path: secrets.replace(/secrets$/, 'configmaps'),
      body: { metadata: { name: 'a' } },
    });
    expect(await keyOfStored()).toBe('first');
    const configMap = await store.get('/registry/configmaps/default/a');
    expect(Buffer.from(configMap.entry!.value).toString()).toMatch(/^\{/);

    configure('second', 'first');
    const replace = async () =>
      await annex.admin.json({
        method: 'PUT',
        path: `${secrets}/a`,
        body: await annex.admin.json({ path: `${secrets}/a` }),
      });
    await vi.waitFor(
      async () => {
        await replace();
        expect(await keyOfStored()).toBe('second');
      },
      { timeout: 30_000, interval: 100 },
    );
    // As annex migrate does.
    configure('third', 'second', 'first');
    const headers = { 'content-type': 'application/merge-patch+json' };
    const rewrite = () => annex.admin.json({ method: 'PATCH', path: `${secrets}/a`, headers, body: {} });
    await vi.waitFor(
      async () => {
        await rewrite();
        expect(await keyOfStored()).toBe('third');
      },
      { timeout: 30_000, interval: 100 },
    );
    // Nothing is written if neither the object nor its key changes.
    const { modRevision } = (await store.get(key)).entry!;
    await replace();
    await rewrite();
    expect((await store.get(key)).entry!.modRevision).toBe(modRevision);
  }
  configure('fourth');
  await using annex = await startOn(store);
  const error = 'no matching key was found for the provided AES transformer';
  const refused = (why: string) => ({ status: { code: 500, message: `Internal error occurred: ${why}` } });
  await expect(annex.admin.json({ path: `${secrets}/a` })).rejects.toMatchObject(refused(error));
  await expect(annex.admin.json({ path: secrets })).rejects.toMatchObject(
    refused(`unable to transform key "${key}": ${error}`),
  );
  expect(await annex.admin.json({ path: '/api/v1/namespaces/default/configmaps/a' })).toMatchObject({
    kind: 'ConfigMap',
  });
  await store.close();
});
