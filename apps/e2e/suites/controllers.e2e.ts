import { Client, loadKubeconfig } from '@annex/client';
import type { JsonObject, KubeObject, OwnerReference } from '@annex/machinery';
import { definitionManifest, startProcess } from '@annex/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Runner } from '../runners/runner.ts';
import { startAnnex } from '../runners/start-annex.ts';
import { awaitObject, findObject, isGone, isThere } from './await-object.ts';
import { annexCommand } from '../runners/annex-command.ts';

const namespaces = '/api/v1/namespaces';
const configMaps = (namespace: string) => `${namespaces}/${namespace}/configmaps`;
const foos = (namespace: string) => `/apis/ex.com/v1/namespaces/${namespace}/foos`;
const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const clusterRoles = '/apis/rbac.authorization.k8s.io/v1/clusterroles';
const apiServices = '/apis/apiregistration.k8s.io/v1/apiservices';

let annex: Runner;
let api: Client;

const create = (collection: string, object: JsonObject) =>
  api.json<KubeObject>({ method: 'POST', path: collection, body: object });
const remove = (path: string, propagationPolicy?: string) =>
  api.json<KubeObject>({
    method: 'DELETE',
    path,
    body: { kind: 'DeleteOptions', apiVersion: 'v1', ...(propagationPolicy ? { propagationPolicy } : {}) },
  });
const patch = (path: string, body: JsonObject) =>
  api.json<KubeObject>({
    method: 'PATCH',
    path,
    headers: { 'content-type': 'application/merge-patch+json' },
    body,
  });
const until = (collection: string, name: string, wanted: (object: KubeObject | undefined) => boolean) =>
  awaitObject(api, collection, name, wanted);

const newNamespace = async (name: string): Promise<string> => {
  await create(namespaces, { metadata: { name } });
  return name;
};
const configMap = (name: string, metadata: JsonObject = {}): JsonObject => ({
  metadata: { name, ...metadata },
});
const foo = (name: string, metadata: JsonObject = {}): JsonObject => ({
  apiVersion: 'ex.com/v1',
  kind: 'Foo',
  metadata: { name, ...metadata },
});
const definition = (plural: string, kind: string) => definitionManifest({ group: 'ex.com', plural, kind });
const define = async (plural: string, kind: string) => {
  await create(definitions, definition(plural, kind));
  await until(definitions, `${plural}.ex.com`, (crd) => conditionOf(crd, 'Established')?.status === 'True');
};
const conditionOf = (object: KubeObject | undefined, type: string) =>
  (
    object?.status as { conditions?: { type: string; status: string; reason: string; message: string }[] }
  )?.conditions?.find((condition) => condition.type === type);

const ownedBy = ({ metadata }: KubeObject, kind: string, more: Partial<OwnerReference> = {}): JsonObject => ({
  ownerReferences: [
    {
      apiVersion: kind === 'Foo' ? 'ex.com/v1' : 'v1',
      kind,
      name: metadata.name ?? '',
      uid: metadata.uid ?? '',
      ...more,
    },
  ],
});

beforeAll(async () => {
  annex = await startAnnex({ controllers: '*', ephemeral: true });
  api = new Client(await loadKubeconfig(annex.kubeconfig));
  await define('foos', 'Foo');
});
afterAll(async () => {
  api.close();
  await annex.stop();
});

describe('namespaces', () => {
  it('CRD-004: go with all that is in them', async () => {
    const ns = await newNamespace('full');
    await create(configMaps(ns), configMap('a'));
    await create(`${namespaces}/${ns}/secrets`, configMap('a'));
    await create(`/apis/coordination.k8s.io/v1/namespaces/${ns}/leases`, configMap('a'));
    await create(foos(ns), foo('a'));
    await remove(`${namespaces}/${ns}`);
    await until(namespaces, ns, isGone);
    await newNamespace(ns);
    expect(await findObject(api, `${configMaps(ns)}/a`)).toBeUndefined();
    expect(await findObject(api, `${foos(ns)}/a`)).toBeUndefined();
  });

  it('wait for finalizers, and report them', async () => {
    const ns = await newNamespace('held');
    const held = { finalizers: ['ex.com/hold'] };
    await create(configMaps(ns), configMap('a', held));
    await create(foos(ns), foo('a', held));
    await remove(`${namespaces}/${ns}`);
    const waiting = await until(
      namespaces,
      ns,
      (one) => conditionOf(one, 'NamespaceContentRemaining') !== undefined,
    );
    expect(conditionOf(waiting, 'NamespaceContentRemaining')).toMatchObject({
      status: 'True',
      reason: 'SomeResourcesRemain',
      message:
        'Some resources are remaining: configmaps. has 1 resource instances, foos.ex.com has 1 resource instances',
    });
    expect(conditionOf(waiting, 'NamespaceFinalizersRemaining')).toMatchObject({
      status: 'True',
      reason: 'SomeFinalizersRemain',
      message: 'Some content in the namespace has finalizers remaining: ex.com/hold in 2 resource instances',
    });
    await patch(`${configMaps(ns)}/a`, { metadata: { finalizers: null } });
    await patch(`${foos(ns)}/a`, { metadata: { finalizers: null } });
    await until(namespaces, ns, isGone);
  });

  it('wait for extension servers that do not respond, and delete the objects of others', async () => {
    const ns = await newNamespace('undiscovered');
    await create(configMaps(ns), configMap('a'));
    await create(apiServices, {
      metadata: { name: 'v1.down.example.com' },
      spec: {
        group: 'down.example.com',
        version: 'v1',
        groupPriorityMinimum: 100,
        versionPriority: 100,
        insecureSkipTLSVerify: true,
        service: { namespace: 'default', name: 'nobody' },
      },
    });
    await until(
      apiServices,
      'v1.down.example.com',
      (one) => conditionOf(one, 'Available')?.status === 'False',
    );
    await remove(`${namespaces}/${ns}`);
    const waiting = await until(
      namespaces,
      ns,
      (one) => conditionOf(one, 'NamespaceDeletionDiscoveryFailure') !== undefined,
    );
    expect(conditionOf(waiting, 'NamespaceDeletionDiscoveryFailure')).toMatchObject({
      status: 'True',
      reason: 'DiscoveryFailed',
      message:
        'Discovery failed for some groups, 1 failing: unable to retrieve the complete list of server APIs: down.example.com/v1: stale GroupVersion discovery: down.example.com/v1',
    });
    expect(await findObject(api, `${configMaps(ns)}/a`)).toBeUndefined();
    await remove(`${apiServices}/v1.down.example.com`);
    await until(namespaces, ns, isGone);
  });
});

describe('garbage', () => {
  const kinds = [
    ['ConfigMap', configMaps, configMap],
    ['Foo', foos, foo],
  ] as const;

  it.each(kinds)('is deleted after its owner, a %s, by default', async (kind, collection, object) => {
    const ns = await newNamespace(`background-${kind.toLowerCase()}`);
    const owner = await create(collection(ns), object('owner'));
    const dependent = await create(configMaps(ns), configMap('child', ownedBy(owner, kind)));
    await create(foos(ns), foo('grandchild', ownedBy(dependent, 'ConfigMap')));
    await remove(`${collection(ns)}/owner`);
    await until(configMaps(ns), 'child', isGone);
    await until(foos(ns), 'grandchild', isGone);
  });

  it.each(kinds)('is deleted before its owner, a %s, in the foreground', async (kind, collection, object) => {
    const ns = await newNamespace(`foreground-${kind.toLowerCase()}`);
    const owner = await create(collection(ns), object('owner'));
    const blocking = ownedBy(owner, kind, { blockOwnerDeletion: true });
    await create(configMaps(ns), configMap('held', { ...blocking, finalizers: ['ex.com/hold'] }));
    await create(configMaps(ns), configMap('free', blocking));
    const deleted = await remove(`${collection(ns)}/owner`, 'Foreground');
    expect(deleted.metadata.finalizers).toEqual(['foregroundDeletion']);
    await until(configMaps(ns), 'free', isGone);
    await until(configMaps(ns), 'held', (one) => one?.metadata.deletionTimestamp !== undefined);
    expect(await findObject(api, `${collection(ns)}/owner`)).toBeDefined();
    await patch(`${configMaps(ns)}/held`, { metadata: { finalizers: null } });
    await until(collection(ns), 'owner', isGone);
  });

  it.each(kinds)('is kept if its owner, a %s, is deleted with orphans', async (kind, collection, object) => {
    const ns = await newNamespace(`orphan-${kind.toLowerCase()}`);
    const owner = await create(collection(ns), object('owner'));
    await create(configMaps(ns), configMap('built-in', ownedBy(owner, kind)));
    await create(foos(ns), foo('custom', ownedBy(owner, kind)));
    await remove(`${collection(ns)}/owner`, 'Orphan');
    await until(collection(ns), 'owner', isGone);
    const left = [
      await findObject(api, `${configMaps(ns)}/built-in`),
      await findObject(api, `${foos(ns)}/custom`),
    ];
    expect(left.map((one) => one?.metadata.ownerReferences)).toEqual([undefined, undefined]);
    expect(left.every(isThere)).toBe(true);
  });

  it.each([
    ['never was', { name: 'nobody', uid: '00000000-0000-0000-0000-000000000000' }],
    [
      'is another object of the same name',
      { name: 'kube-root-ca.crt', uid: '00000000-0000-0000-0000-000000000001' },
    ],
  ])('is deleted if it names an owner that %s', async (_, { name, uid }) => {
    const owner = { metadata: { name, uid } };
    await create(configMaps('default'), configMap('stray', ownedBy(owner, 'ConfigMap')));
    await until(configMaps('default'), 'stray', isGone);
  });

  it('is deleted if it names an owner in another namespace', async () => {
    const owner = await create(configMaps(await newNamespace('elsewhere')), configMap('owner'));
    await create(configMaps('default'), configMap('misplaced', ownedBy(owner, 'ConfigMap')));
    await until(configMaps('default'), 'misplaced', isGone);
  });

  it('is kept if it has another owner; only the reference is removed', async () => {
    const ns = await newNamespace('two-owners');
    const [one, two] = [await create(foos(ns), foo('one')), await create(configMaps(ns), configMap('two'))];
    const both = [one, two].flatMap(
      (owner, i) => ownedBy(owner, i === 0 ? 'Foo' : 'ConfigMap').ownerReferences ?? [],
    );
    await create(configMaps(ns), configMap('child', { ownerReferences: both as never }));
    await remove(`${foos(ns)}/one`);
    const child = await until(
      configMaps(ns),
      'child',
      (object) => object?.metadata.ownerReferences?.length === 1,
    );
    expect(child?.metadata.ownerReferences?.[0]?.uid).toBe(two.metadata.uid);
  });

  it('is deleted after cluster-scoped owners, which may own objects in any namespace', async () => {
    const ns = await newNamespace('cluster-owner');
    const owner = await create(clusterRoles, configMap('cluster-owner'));
    const reference = { apiVersion: 'rbac.authorization.k8s.io/v1', blockOwnerDeletion: true };
    await create(configMaps(ns), configMap('child', ownedBy(owner, 'ClusterRole', reference)));
    await remove(`${clusterRoles}/cluster-owner`, 'Foreground');
    await until(configMaps(ns), 'child', isGone);
    await until(clusterRoles, 'cluster-owner', isGone);
  });

  it('CRD-004: follows kinds that are created and deleted', async () => {
    const ns = await newNamespace('kinds');
    await define('bars', 'Bar');
    const bars = `/apis/ex.com/v1/namespaces/${ns}/bars`;
    const bar = (name: string, metadata: JsonObject = {}) =>
      create(bars, { apiVersion: 'ex.com/v1', kind: 'Bar', metadata: { name, ...metadata } });
    const nobody = { metadata: { name: 'nobody', uid: '00000000-0000-0000-0000-000000000002' } };
    await bar('stray', ownedBy(nobody, 'ConfigMap'));
    await until(bars, 'stray', isGone);
    const owner = await bar('owner');
    const named = { apiVersion: 'ex.com/v1' };
    await create(configMaps(ns), configMap('child', ownedBy(owner, 'Bar', named)));
    await remove(`${definitions}/bars.ex.com`);
    await until(configMaps(ns), 'child', isGone);
  });
});

describe('every namespace', () => {
  it('has a ServiceAccount and the CA of the API server, also after they were deleted', async () => {
    const ns = await newNamespace('furnished');
    const accounts = `${namespaces}/${ns}/serviceaccounts`;
    for (const [collection, name] of [
      [accounts, 'default'],
      [configMaps(ns), 'kube-root-ca.crt'],
    ] as const) {
      const first = await until(collection, name, isThere);
      await remove(`${collection}/${name}`);
      const uid = first?.metadata.uid;
      await until(collection, name, (one) => one !== undefined && one.metadata.uid !== uid);
    }
    const published = await findObject(api, `${configMaps(ns)}/kube-root-ca.crt`);
    expect((published?.data as JsonObject)['ca.crt']).toContain('BEGIN CERTIFICATE');
    expect(published?.metadata.annotations?.['kubernetes.io/description']).toBe(
      'Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the internal service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes clusters.',
    );
  });

  it('gets a changed CA corrected', async () => {
    const path = `${configMaps('default')}/kube-root-ca.crt`;
    await until(configMaps('default'), 'kube-root-ca.crt', isThere);
    await patch(path, { data: { 'ca.crt': 'forged', more: 'x' } });
    const right = (one: KubeObject | undefined) =>
      String((one?.data as JsonObject | undefined)?.['ca.crt']).includes('BEGIN CERTIFICATE');
    const found = await until(configMaps('default'), 'kube-root-ca.crt', right);
    expect(Object.keys((found?.data ?? {}) as JsonObject)).toEqual(['ca.crt']);
  });
});

describe('a Secret of a service account', () => {
  const secrets = `${namespaces}/default/secrets`;
  const accounts = `${namespaces}/default/serviceaccounts`;
  const tokenSecret = (name: string, account: string): JsonObject => ({
    metadata: { name, annotations: { 'kubernetes.io/service-account.name': account } },
    type: 'kubernetes.io/service-account-token',
  });
  const tokenOf = (secret: KubeObject | undefined): string =>
    Buffer.from(String((secret?.data as JsonObject | undefined)?.token ?? ''), 'base64').toString();

  it('gets a token that authenticates the account while both exist', async () => {
    const { metadata } = await create(accounts, { metadata: { name: 'builder' } });
    await create(secrets, tokenSecret('builder', 'builder'));
    const filled = await until(secrets, 'builder', (secret) => tokenOf(secret) !== '');
    expect(Object.keys(filled?.data as JsonObject).sort()).toEqual(['ca.crt', 'namespace', 'token']);
    expect(filled?.metadata.annotations?.['kubernetes.io/service-account.uid']).toBe(metadata.uid);
    const { server, ca } = await loadKubeconfig(annex.kubeconfig);
    const builder = new Client({ server, ...(ca === undefined ? {} : { ca }), token: tokenOf(filled) });
    const whoAmI = () =>
      builder.json<{ status: { userInfo: { username: string } } }>({
        method: 'POST',
        path: '/apis/authentication.k8s.io/v1/selfsubjectreviews',
        body: {},
      });
    expect((await whoAmI()).status.userInfo.username).toBe('system:serviceaccount:default:builder');
    await remove(`${accounts}/builder`);
    await until(secrets, 'builder', isGone);
    await expect(whoAmI()).rejects.toThrow('Unauthorized');
    builder.close();
  });

  it('without a ServiceAccount is deleted', async () => {
    await create(secrets, tokenSecret('stray', 'nobody'));
    await until(secrets, 'stray', isGone);
  });
});

describe('aggregated roles', () => {
  it('have the current rules of the roles that they select', async () => {
    const rules = [{ apiGroups: ['ex.com'], resources: ['foos'], verbs: ['get'] }];
    await create(clusterRoles, {
      metadata: { name: 'all' },
      aggregationRule: { clusterRoleSelectors: [{ matchLabels: { 'ex.com/all': 'true' } }] },
    });
    await create(clusterRoles, { metadata: { name: 'part', labels: { 'ex.com/all': 'true' } }, rules });
    const all = await until(clusterRoles, 'all', (role) => ((role?.rules ?? []) as unknown[]).length === 1);
    expect(all?.rules).toEqual(rules);
    await remove(`${clusterRoles}/part`);
    await until(clusterRoles, 'all', (role) => ((role?.rules ?? []) as unknown[]).length === 0);
  });
});

it('a controller that is not known keeps annex from starting', async () => {
  const refused = await startProcess(process.execPath, {
    args: [annexCommand, 'up', '--controllers=*,bogus'],
  });
  expect(await refused.exited).toBe(2);
  expect(refused.lines.join('\n')).toContain('"bogus" is not in the list of known controllers');
});
