import { createMemoryStore, type Store } from '@annex/storage';
import { describe, expect, it } from 'vitest';
import { migrateKeys } from './migrate-keys.ts';

const log = { info: () => {} } as never;
const keysOf = async (store: Store) => (await store.list('/registry/')).entries.map(({ key }) => key);

/** The keys of an earlier version, and those of kube-apiserver. */
const moved = [
  ['/registry/apps/deployments/default/a', '/registry/deployments/default/a'],
  ['/registry/endpoints/default/a', '/registry/services/endpoints/default/a'],
  ['/registry/networking.k8s.io/ingresses/default/a', '/registry/ingress/default/a'],
  ['/registry/nodes/a', '/registry/minions/a'],
  ['/registry/rbac.authorization.k8s.io/clusterroles/a', '/registry/clusterroles/a'],
  ['/registry/replicationcontrollers/default/a', '/registry/controllers/default/a'],
  ['/registry/services/default/a', '/registry/services/specs/default/a'],
  ['/registry/services/specs/a', '/registry/services/specs/specs/a'],
] as const;

const kept = [
  '/registry/apiextensions.k8s.io/customresourcedefinitions/a.example.com',
  '/registry/apiregistration.k8s.io/apiservices/v1.example.com',
  '/registry/example.com/deployments/default/a',
  '/registry/networking.k8s.io/gateways/default/a',
  '/registry/pods/default/a',
];

describe('keys of earlier versions', () => {
  it('move to those of kube-apiserver; others stay', async () => {
    const store = createMemoryStore();
    for (const key of [...kept, ...moved.map(([before]) => before)])
      await store.create(key, Buffer.from(key));
    await migrateKeys(store, log);
    expect(await keysOf(store)).toEqual([...kept, ...moved.map(([, after]) => after)].toSorted());
    const { entry } = await store.get('/registry/deployments/default/a');
    expect(String(entry?.value)).toBe('/registry/apps/deployments/default/a');
  });

  it('a migration that was interrupted continues, and does not replace what was moved', async () => {
    const store = createMemoryStore();
    for (const [before] of moved) await store.create(before, Buffer.from('old'));
    await store.create('/registry/minions/a', Buffer.from('new'));
    await migrateKeys(store, log);
    expect(await keysOf(store)).toEqual(moved.map(([, after]) => after).toSorted());
    expect(String((await store.get('/registry/minions/a')).entry?.value)).toBe('new');
  });

  it('two processes migrate the same store', async () => {
    const store = createMemoryStore();
    for (const [before] of moved) await store.create(before, Buffer.from(before));
    await Promise.all([migrateKeys(store, log), migrateKeys(store, log)]);
    expect(await keysOf(store)).toEqual(moved.map(([, after]) => after).toSorted());
  });

  it('a store without them is not changed', async () => {
    const store = createMemoryStore();
    for (const key of kept) await store.create(key, Buffer.from(key));
    const revision = await store.currentRevision();
    await migrateKeys(store, log);
    expect(await store.currentRevision()).toBe(revision);
  });

  it('an object that cannot be decrypted is named, and stays', async () => {
    const store = createMemoryStore();
    for (const [before] of moved) await store.create(before, Buffer.from(before));
    const list: Store['list'] = async (...args) => {
      const result = await store.list(...args);
      return { ...result, entries: result.entries.map((entry) => ({ ...entry, unreadable: 'no key' })) };
    };
    const unreadable = { ...store, list, create: store.create.bind(store), delete: store.delete.bind(store) };
    await expect(migrateKeys(unreadable as Store, log)).rejects.toThrow(
      /the key \/registry\/.* cannot be read: no key/,
    );
    expect(await keysOf(store)).toEqual(moved.map(([before]) => before).toSorted());
  });
});
