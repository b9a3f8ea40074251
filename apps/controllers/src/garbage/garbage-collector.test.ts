import { Client } from '@annex/client';
import type { KubeObject, OwnerReference } from '@annex/machinery';
import { createMetrics, nullLogger, systemClock } from '@annex/runtime';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Controllers, createControllers } from '../controllers.ts';
import { type Served, serveKinds } from '../served.fixture.ts';

const configMaps = '/api/v1/namespaces/a/configmaps';
const clusterRoles = '/apis/rbac.authorization.k8s.io/v1/clusterroles';

let served: Served;
let controllers: Controllers;

beforeEach(async () => {
  served = await serveKinds();
  const deps = { clock: systemClock, log: nullLogger, metrics: createMetrics() };
  const chosen = ['garbage-collector-controller'];
  controllers = createControllers(deps, { client: served.client, controllers: chosen, rootCa: '' });
});
afterEach(async () => {
  await controllers.stop();
  await served.stop();
});

const create = (collection: string, name: string, metadata: object = {}) =>
  served.api.json<KubeObject>({
    method: 'POST',
    path: collection,
    body: { metadata: { name, ...metadata } },
  });
const remove = (path: string, propagationPolicy: string) =>
  served.api.json({ method: 'DELETE', path, body: { propagationPolicy } });
const ownedBy = (owner: KubeObject, more: Partial<OwnerReference> = {}) => ({
  ownerReferences: [
    { apiVersion: 'v1', kind: 'ConfigMap', name: owner.metadata.name, uid: owner.metadata.uid, ...more },
  ],
});

/** Resolves when the object is gone. */
async function gone(collection: string, name: string): Promise<void> {
  const client = new Client(served.client);
  const path = `${collection}?fieldSelector=metadata.name%3D${name}`;
  const list = await client.json<{ metadata: { resourceVersion: string }; items: unknown[] }>({ path });
  const { resourceVersion } = list.metadata;
  if (list.items.length > 0) {
    for await (const { type } of client.watch(path, { resourceVersion })) if (type === 'DELETED') break;
  }
  client.close();
}

it('resolves a cycle of owners that wait for each other', async () => {
  await controllers.start();
  const one = await create(configMaps, 'one');
  const two = await create(configMaps, 'two', ownedBy(one, { blockOwnerDeletion: true }));
  const three = await create(configMaps, 'three', ownedBy(two, { blockOwnerDeletion: true }));
  await served.api.json({
    method: 'PATCH',
    path: `${configMaps}/one`,
    headers: { 'content-type': 'application/merge-patch+json' },
    body: { metadata: ownedBy(three, { blockOwnerDeletion: true }) },
  });
  await remove(`${configMaps}/one`, 'Foreground');
  await Promise.all(['one', 'two', 'three'].map((name) => gone(configMaps, name)));
});

it('finds garbage from before its start', async () => {
  const owner = await create(configMaps, 'owner');
  await create(configMaps, 'child', ownedBy(owner));
  await create(configMaps, 'kept', { finalizers: ['ex.com/hold'] });
  const foreground = await create(configMaps, 'foreground');
  await create(configMaps, 'blocking', ownedBy(foreground, { blockOwnerDeletion: true }));
  await remove(`${configMaps}/owner`, 'Background');
  await remove(`${configMaps}/foreground`, 'Foreground');
  await controllers.start();
  await Promise.all(['child', 'blocking', 'foreground'].map((name) => gone(configMaps, name)));
});

it('keeps cluster-scoped objects with a namespaced owner, and objects with an owner of an unknown kind', async () => {
  await controllers.start();
  const nobody: KubeObject = { metadata: { name: 'nobody', uid: '00000000-0000-0000-0000-000000000001' } };
  await create(clusterRoles, 'misled', ownedBy(nobody));
  await create(configMaps, 'unknown', ownedBy(nobody, { apiVersion: 'ex.com/v1', kind: 'Foo' }));
  const stray: KubeObject = { metadata: { name: 'nobody', uid: '00000000-0000-0000-0000-000000000002' } };
  await create(configMaps, 'stray', ownedBy(stray));
  await gone(configMaps, 'stray');
  expect(await served.api.find(`${clusterRoles}/misled`)).toBeDefined();
  expect(await served.api.find(`${configMaps}/unknown`)).toBeDefined();
});

it('keeps the deletion policy of an object that waits for its own dependents', async () => {
  await controllers.start();
  const owner = await create(configMaps, 'owner');
  const middle = await create(configMaps, 'middle', {
    ...ownedBy(owner, { blockOwnerDeletion: true }),
    finalizers: ['orphan'],
  });
  await create(configMaps, 'leaf', ownedBy(middle));
  await remove(`${configMaps}/owner`, 'Background');
  await gone(configMaps, 'middle');
  const leaf = await served.api.find<KubeObject>(`${configMaps}/leaf`);
  expect(leaf?.metadata.ownerReferences).toBeUndefined();
});

it('reports owners in other namespaces, which are ignored', async () => {
  await controllers.start();
  const owner = await create('/api/v1/namespaces/b/configmaps', 'owner');
  const stray = await create(configMaps, 'stray', ownedBy(owner));
  await gone(configMaps, 'stray');
  const client = new Client(served.client);
  const path = '/api/v1/namespaces/a/events';
  for await (const { object } of client.watch<KubeObject>(path, { resourceVersion: '0' })) {
    expect(object).toMatchObject({
      involvedObject: { kind: 'ConfigMap', name: 'stray', uid: stray.metadata.uid },
      reason: 'OwnerRefInvalidNamespace',
      message: `ownerRef [v1/ConfigMap, namespace: a, name: owner, uid: ${owner.metadata.uid}] does not exist in namespace "a"`,
    });
    break;
  }
  client.close();
});
