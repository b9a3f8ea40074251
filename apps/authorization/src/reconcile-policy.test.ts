import { rbacGroup, rbacPrefixes } from '@annex/auth';
import type { KubeObject } from '@annex/machinery';
import { createLogger, createMetrics, systemClock } from '@annex/runtime';
import { builtinKinds, KindRegistry } from '@annex/kinds';
import { encodeStored, type ServerDeps } from '@annex/server';
import { createFeed, createMemoryStore } from '@annex/storage';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { reconcilePolicy } from './reconcile-policy.ts';

let deps: ServerDeps;
const kinds = new KindRegistry();
for (const kind of builtinKinds((group) => group === rbacGroup)) kinds.add(kind);
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
  it('AGG-026 AGG-029 creates the default roles and bindings of an empty server', async () => {
    await reconcilePolicy(deps, kinds);
    const counts = await Promise.all(
      Object.values(rbacPrefixes).map(async (p) => (await deps.store.list(p)).count),
    );
    expect(counts).toEqual([9, 70, 9, 51]);
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

  it('writes nothing if nothing is missing', async () => {
    await reconcilePolicy(deps, kinds);
    const revision = await deps.store.currentRevision();
    await reconcilePolicy(deps, kinds);
    expect(await deps.store.currentRevision()).toBe(revision);
  });

  it('adds missing rules and subjects, and keeps those that users added', async () => {
    await reconcilePolicy(deps, kinds);
    const own = { verbs: ['get'], apiGroups: ['x'], resources: ['y'] };
    await change(clusterRole('system:auth-delegator'), (role) => (role.rules = [own]));
    await change(
      clusterBinding('cluster-admin'),
      (binding) => (binding.subjects = [{ kind: 'User', name: 'bob' }]),
    );
    await change(clusterRole('view'), (role) => delete role.metadata.labels);
    await reconcilePolicy(deps, kinds);
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

  it('does not change protected objects', async () => {
    await reconcilePolicy(deps, kinds);
    await change(clusterRole('edit'), (role) => {
      role.metadata.annotations = { 'rbac.authorization.kubernetes.io/autoupdate': 'false' };
      role.rules = [];
    });
    await reconcilePolicy(deps, kinds);
    expect((await read(clusterRole('edit')))?.rules).toEqual([]);
  });

  it('leaves the rules of aggregated roles to the controller', async () => {
    await reconcilePolicy(deps, kinds);
    expect(await read(clusterRole('admin'))).toMatchObject({
      rules: null,
      aggregationRule: {
        clusterRoleSelectors: [{ matchLabels: { 'rbac.authorization.k8s.io/aggregate-to-admin': 'true' } }],
      },
    });
  });

  it('owns the fields that it wrote', async () => {
    await reconcilePolicy(deps, kinds);
    expect((await read(clusterRole('view')))?.metadata.managedFields).toEqual([
      {
        manager: 'kube-apiserver',
        operation: 'Update',
        apiVersion: 'rbac.authorization.k8s.io/v1',
        time: expect.any(String),
        fieldsType: 'FieldsV1',
        fieldsV1: {
          'f:aggregationRule': { '.': {}, 'f:clusterRoleSelectors': {} },
          'f:metadata': {
            'f:annotations': { '.': {}, 'f:rbac.authorization.kubernetes.io/autoupdate': {} },
            'f:labels': {
              '.': {},
              'f:kubernetes.io/bootstrapping': {},
              'f:rbac.authorization.k8s.io/aggregate-to-edit': {},
            },
          },
        },
      },
    ]);
  });

  it('creates a binding again if it binds another role', async () => {
    await reconcilePolicy(deps, kinds);
    const before = await read(clusterBinding('system:kube-dns'));
    await change(clusterBinding('system:kube-dns'), (binding) => {
      binding.roleRef = { apiGroup: rbacGroup, kind: 'ClusterRole', name: 'view' };
      binding.metadata.labels = { own: 'x' };
      binding.subjects = [{ apiGroup: rbacGroup, kind: 'User', name: 'eve' }];
    });
    await reconcilePolicy(deps, kinds);
    const after = await read(clusterBinding('system:kube-dns'));
    expect(after).toMatchObject({
      metadata: { labels: { 'kubernetes.io/bootstrapping': 'rbac-defaults' } },
      roleRef: { apiGroup: rbacGroup, kind: 'ClusterRole', name: 'system:kube-dns' },
      subjects: [{ kind: 'ServiceAccount', name: 'kube-dns', namespace: 'kube-system' }],
    });
    expect(after?.metadata.uid).not.toBe(before?.metadata.uid);
  });

  it('removes unexpected aggregation, and adds selectors to expected aggregation', async () => {
    await reconcilePolicy(deps, kinds);
    const others = { clusterRoleSelectors: [{ matchLabels: { x: 'y' } }] };
    await change(clusterRole('system:aggregate-to-edit'), (role) => (role.aggregationRule = others));
    await change(clusterRole('edit'), (role) => (role.aggregationRule = others));
    await reconcilePolicy(deps, kinds);
    expect(await read(clusterRole('system:aggregate-to-edit'))).not.toHaveProperty('aggregationRule');
    expect((await read(clusterRole('edit')))?.aggregationRule).toEqual({
      clusterRoleSelectors: [
        { matchLabels: { x: 'y' } },
        { matchLabels: { 'rbac.authorization.k8s.io/aggregate-to-edit': 'true' } },
      ],
    });
  });

  it('carries over the policy of an earlier version', async () => {
    await reconcilePolicy(deps, kinds);
    const own = { verbs: ['get'], apiGroups: ['mine'], resources: ['y'] };
    await change(clusterRole('admin'), (role) => {
      delete role.aggregationRule;
      role.rules = [own];
    });
    await deps.store.delete(clusterRole('system:aggregate-to-admin'));
    const reader = { apiGroup: rbacGroup, kind: 'User', name: 'reader' };
    await change(clusterBinding('system:discovery'), (binding) => (binding.subjects = [reader]));
    await deps.store.delete(clusterBinding('system:public-info-viewer'));
    await reconcilePolicy(deps, kinds);
    expect(await read(clusterRole('system:aggregate-to-admin'))).toMatchObject({
      metadata: { labels: { 'rbac.authorization.k8s.io/aggregate-to-admin': 'true' } },
      rules: expect.arrayContaining([own]),
    });
    expect((await read(clusterBinding('system:public-info-viewer')))?.subjects).toEqual([
      reader,
      { apiGroup: rbacGroup, kind: 'Group', name: 'system:authenticated' },
      { apiGroup: rbacGroup, kind: 'Group', name: 'system:unauthenticated' },
    ]);
  });
});
