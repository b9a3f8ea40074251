import { rbacPrefixes } from '@annex/auth';
import type { KubeObject } from '@annex/machinery';
import { createLogger, createMetrics, systemClock } from '@annex/runtime';
import { encodeStored, type ServerDeps } from '@annex/server';
import { createFeed, createMemoryStore } from '@annex/storage';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { reconcilePolicy } from './reconcile-policy.ts';

let deps: ServerDeps;
beforeEach(() => {
  const store = createMemoryStore();
  const log = createLogger({ level: 'error', format: 'text' });
  deps = { store, feed: createFeed(store), clock: systemClock, log, metrics: createMetrics() };
});
afterEach(async () => {
  await deps.feed.close();
  await deps.store.close();
});

const clusterRole = (name: string) => `${rbacPrefixes.clusterRoles}${name}`;
const clusterBinding = (name: string) => `${rbacPrefixes.clusterRoleBindings}${name}`;

const read = async (key: string): Promise<KubeObject | undefined> => {
  const { entry } = await deps.store.get(key);
  return entry && (JSON.parse(Buffer.from(entry.value).toString()) as KubeObject);
};
const change = async (key: string, by: (object: KubeObject) => void) => {
  const { entry } = await deps.store.get(key);
  const object = (await read(key)) as KubeObject;
  by(object);
  await deps.store.update(key, encodeStored(object), entry?.modRevision ?? 0);
};

describe('reconcilePolicy', () => {
  it('AGG-026 AGG-029 makes the default roles and bindings of an empty server', async () => {
    await reconcilePolicy(deps);
    const counts = await Promise.all(
      Object.values(rbacPrefixes).map(async (p) => (await deps.store.list(p)).count),
    );
    expect(counts).toEqual([7, 69, 7, 50]);
    expect(await read(clusterRole('system:auth-delegator'))).toMatchObject({
      kind: 'ClusterRole',
      apiVersion: 'rbac.authorization.k8s.io/v1',
      metadata: {
        name: 'system:auth-delegator',
        uid: expect.any(String),
        creationTimestamp: expect.any(String),
      },
      rules: [
        { apiGroups: ['authentication.k8s.io'], resources: ['tokenreviews'], verbs: ['create'] },
        { apiGroups: ['authorization.k8s.io'], resources: ['subjectaccessreviews'], verbs: ['create'] },
      ],
    });
    expect(
      await read(`${rbacPrefixes.roles}kube-system/extension-apiserver-authentication-reader`),
    ).toBeDefined();
  });

  it('writes nothing where all is there', async () => {
    await reconcilePolicy(deps);
    const revision = await deps.store.currentRevision();
    await reconcilePolicy(deps);
    expect(await deps.store.currentRevision()).toBe(revision);
  });

  it('adds what is missing and keeps what somebody added', async () => {
    await reconcilePolicy(deps);
    const own = { verbs: ['get'], apiGroups: ['x'], resources: ['y'] };
    await change(clusterRole('system:auth-delegator'), (role) => (role.rules = [own]));
    await change(
      clusterBinding('cluster-admin'),
      (binding) => (binding.subjects = [{ kind: 'User', name: 'bob' }]),
    );
    await change(clusterRole('view'), (role) => delete role.metadata.labels);
    await reconcilePolicy(deps);
    expect((await read(clusterRole('system:auth-delegator')))?.rules).toEqual([
      own,
      { apiGroups: ['authentication.k8s.io'], resources: ['tokenreviews'], verbs: ['create'] },
      { apiGroups: ['authorization.k8s.io'], resources: ['subjectaccessreviews'], verbs: ['create'] },
    ]);
    expect((await read(clusterBinding('cluster-admin')))?.subjects).toEqual([
      { kind: 'User', name: 'bob' },
      { kind: 'Group', apiGroup: 'rbac.authorization.k8s.io', name: 'system:masters' },
    ]);
    expect((await read(clusterRole('view')))?.metadata.labels).toMatchObject({
      'kubernetes.io/bootstrapping': 'rbac-defaults',
    });
  });

  it('leaves alone what is protected', async () => {
    await reconcilePolicy(deps);
    await change(clusterRole('edit'), (role) => {
      role.metadata.annotations = { 'rbac.authorization.kubernetes.io/autoupdate': 'false' };
      role.rules = [];
    });
    await reconcilePolicy(deps);
    expect((await read(clusterRole('edit')))?.rules).toEqual([]);
  });
});
