import { Client, loadKubeconfig } from '@annex/client';
import type { JsonObject, KubeObject } from '@annex/machinery';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Runner } from '../runners/runner.ts';
import { startAnnex } from '../runners/start-annex.ts';
import { awaitObject, findObject, isGone, isThere } from './await-object.ts';

const namespaces = '/api/v1/namespaces';
const inNamespace = (namespace: string, resource: string) => `${namespaces}/${namespace}/${resource}`;
const configMaps = inNamespace('default', 'configmaps');
const held = { finalizers: ['ex.com/hold'] };

let annex: Runner;
let api: Client;

const create = (collection: string, object: JsonObject) =>
  api.json<KubeObject>({ method: 'POST', path: collection, body: object });
const remove = (path: string, propagationPolicy = 'Background') =>
  api.json({ method: 'DELETE', path, body: { propagationPolicy } });
const release = (path: string) =>
  api.json({
    method: 'PATCH',
    path,
    headers: { 'content-type': 'application/merge-patch+json' },
    body: { metadata: { finalizers: null } },
  });
const ownedBy = ({ metadata: { name = '', uid = '' } }: KubeObject): JsonObject => ({
  ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name, uid, blockOwnerDeletion: true }],
});
const isDeleted = (object: KubeObject | undefined) => object?.metadata.deletionTimestamp !== undefined;
const usedSecrets = (quota: KubeObject | undefined) =>
  (quota?.status as { used?: JsonObject } | undefined)?.used?.secrets;
const conditionsOf = (namespace: KubeObject | undefined) =>
  (namespace?.status as { conditions?: unknown[] } | undefined)?.conditions ?? [];

beforeAll(async () => {
  annex = await startAnnex({ controllers: '*' });
  api = new Client(await loadKubeconfig(annex.kubeconfig));
});
afterAll(async () => {
  api.close();
  await annex.stop();
});

it('controllers continue their work after a crash', async () => {
  await create(namespaces, { metadata: { name: 'leaving' } });
  await create(inNamespace('leaving', 'secrets'), { metadata: { name: 'last', ...held } });
  await remove(`${namespaces}/leaving`);
  await awaitObject(api, namespaces, 'leaving', (one) => conditionsOf(one).length > 0);

  const owner = await create(configMaps, { metadata: { name: 'owner' } });
  await create(configMaps, { metadata: { name: 'dependent', ...held, ...ownedBy(owner) } });
  await remove(`${configMaps}/owner`, 'Foreground');
  await awaitObject(api, configMaps, 'dependent', isDeleted);

  const quotas = inNamespace('default', 'resourcequotas');
  const secrets = inNamespace('default', 'secrets');
  await create(secrets, { metadata: { name: 'counted' } });
  await create(quotas, { metadata: { name: 'q' }, spec: { hard: { secrets: '5' } } });
  await awaitObject(api, quotas, 'q', (quota) => usedSecrets(quota) === '1');

  api.close();
  await annex.restart('SIGKILL');
  api = new Client(await loadKubeconfig(annex.kubeconfig));

  expect(await findObject(api, `${configMaps}/owner`)).toSatisfy(isThere);
  await release(`${configMaps}/dependent`);
  await awaitObject(api, configMaps, 'owner', isGone);
  await release(`${inNamespace('leaving', 'secrets')}/last`);
  await awaitObject(api, namespaces, 'leaving', isGone);
  await remove(`${secrets}/counted`);
  await awaitObject(api, quotas, 'q', (quota) => usedSecrets(quota) === '0');
});
