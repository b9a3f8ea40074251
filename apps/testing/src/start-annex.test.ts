import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { defineResource } from '@annex/sdk';
import { findTool } from '@annex/testkit';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type KubeObject, startAnnex, type TestAnnex } from './index.ts';

interface ConfigMap extends KubeObject {
  data?: Record<string, string>;
}
const configMaps = {
  apiVersion: 'v1',
  resource: 'configmaps',
  kind: 'ConfigMap',
  namespace: 'default',
} as const;
const nameOf = ({ metadata }: KubeObject) => metadata.name ?? '';
const configMap = (name: string, data = {}): ConfigMap => ({ metadata: { name }, data });

const definition = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: bicycles.shop.example.com }
spec:
  group: shop.example.com
  scope: Namespaced
  names: { plural: bicycles, singular: bicycle, kind: Bicycle }
  versions:
    - name: v1
      served: true
      storage: true
      schema: { openAPIV3Schema: { type: object, x-kubernetes-preserve-unknown-fields: true } }
`;
const bicycle = (name: string): KubeObject => ({
  apiVersion: 'shop.example.com/v1',
  kind: 'Bicycle',
  metadata: { name },
});
const bicycles = { apiVersion: 'shop.example.com/v1', resource: 'bicycles', namespace: 'default' };

let annex: TestAnnex;
beforeAll(async () => {
  annex = await startAnnex();
});
afterAll(() => annex.stop());

describe('users', () => {
  it('have only the permissions that RBAC grants', async () => {
    const jane = await annex.as({ user: 'jane', groups: ['readers'] });
    await expect(jane.resource(configMaps).list()).rejects.toThrow(
      'configmaps is forbidden: User "jane" cannot list resource "configmaps"',
    );
    await annex.admin.apply(`
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: { name: readers-view }
roleRef: { apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: system:kube-controller-manager }
subjects: [{ apiGroup: rbac.authorization.k8s.io, kind: Group, name: readers }]
`);
    expect(await jane.resource(configMaps).list()).toEqual(expect.any(Array));
  });

  it('have the identity of their credentials', async () => {
    const whoAmI = async (user: { client: TestAnnex['admin']['client'] }) => {
      const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview', metadata: {} };
      const path = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
      const response = await user.client.json<{ status: { userInfo: { username: string } } }>({
        method: 'POST',
        path,
        body: review,
      });
      return response.status.userInfo.username;
    };
    await annex.admin.apply('{ apiVersion: v1, kind: ServiceAccount, metadata: { name: robot } }');
    expect(await whoAmI(annex.admin)).toBe('admin');
    expect(await whoAmI(await annex.as({ user: 'joe' }))).toBe('joe');
    expect(await whoAmI(await annex.serviceAccount('default', 'robot'))).toBe(
      'system:serviceaccount:default:robot',
    );
    await expect(whoAmI(await annex.anonymous())).rejects.toMatchObject({ code: 403 });
  });

  it.runIf(findTool('kubectl'))('have kubeconfigs for kubectl', async () => {
    const { kubeconfigFile, kubeconfig } = annex.admin;
    expect(readFileSync(kubeconfigFile, 'utf8')).toBe(kubeconfig);
    const args = [
      '--kubeconfig',
      kubeconfigFile,
      'auth',
      'whoami',
      '-o',
      'jsonpath={.status.userInfo.username}',
    ];
    expect((await promisify(execFile)('kubectl', args)).stdout).toBe('admin');
  });
});

describe('a resource', () => {
  it('has the requests that clients make', async () => {
    const maps = annex.admin.resource<ConfigMap>(configMaps);
    await maps.create(configMap('one', { a: '1' }));
    expect((await maps.patch('one', { data: { b: '2' } })).data).toEqual({ a: '1', b: '2' });
    const jsonPatch = [{ op: 'remove', path: '/data/a' }];
    expect((await maps.patch('one', jsonPatch, { type: 'json' })).data).toEqual({ b: '2' });
    const read = await maps.get('one');
    expect((await maps.update({ ...read, data: { c: '3' } })).data).toEqual({ c: '3' });
    const applied = await maps.apply(configMap('one', { d: '4' }), { fieldManager: 'test' });
    expect(applied.data).toEqual({ c: '3', d: '4' });
    expect(
      (await maps.list({ fieldSelector: 'metadata.name=one' })).map(({ metadata }) => metadata.name),
    ).toEqual(['one']);
    expect(await maps.in('kube-public').list({ labelSelector: 'a=b' })).toEqual([]);
    await maps.delete('one');
    await expect(maps.get('one')).rejects.toMatchObject({ code: 404 });
  });

  it('can be awaited with a watch', async () => {
    const maps = annex.admin.resource<ConfigMap>(configMaps);
    const waiting = maps.waitFor('late', ({ data }) => data?.ready === 'yes');
    await maps.create(configMap('late', { ready: 'no' }));
    await maps.patch('late', { data: { ready: 'yes' } });
    expect((await waiting).data).toEqual({ ready: 'yes' });
    const gone = maps.waitUntilGone('late');
    await maps.delete('late');
    await gone;
  });

  it('is reported in its last state if it does not reach the expected one', async () => {
    const maps = annex.admin.resource<ConfigMap>(configMaps);
    await expect(maps.waitFor('never', () => true, { timeoutMs: 50 })).rejects.toThrow(
      'configmaps "never" did not reach the expected state within 50 ms: it does not exist',
    );
    await maps.create(configMap('stays', { ready: 'no' }));
    await expect(
      maps.waitFor('stays', ({ data }) => data?.ready === 'yes', { timeoutMs: 1000 }),
    ).rejects.toThrow('"data":{"ready":"no"}');
  });
});

describe('snapshots', () => {
  it('restore exactly the stored objects', async () => {
    const maps = annex.admin.resource<ConfigMap>(configMaps);
    await maps.create(configMap('kept', { a: '1' }));
    const snapshot = await annex.snapshot();
    const before = await maps.get('kept');
    await maps.patch('kept', { data: { a: '2' } });
    await maps.create(configMap('new'));
    await annex.admin.apply(definition);
    await annex.restore(snapshot);
    const after = await maps.get('kept');
    expect([after.data, after.metadata.uid]).toEqual([{ a: '1' }, before.metadata.uid]);
    expect(Number(after.metadata.resourceVersion)).toBeGreaterThan(Number(before.metadata.resourceVersion));
    await expect(maps.get('new')).rejects.toMatchObject({ code: 404 });
    await maps.delete('kept');
    await annex.restore(snapshot);
    expect((await maps.get('kept')).data).toEqual({ a: '1' });
  });

  it('are sent to watches', async () => {
    const maps = annex.admin.resource<ConfigMap>(configMaps);
    const snapshot = await annex.snapshot();
    await maps.create(configMap('shortly'));
    const gone = maps.waitUntilGone('shortly');
    await annex.restore(snapshot);
    await gone;
  });
});

it('watches receive the restored state, also with concurrent writes', async () => {
  const maps = annex.admin.resource<ConfigMap>(configMaps);
  const snapshot = await annex.snapshot();
  // The controllers create another one.
  const listed = async () =>
    (await maps.list({ fieldSelector: 'metadata.name!=kube-root-ca.crt' })).map(nameOf);
  const known = new Set(await listed());
  const stop = new AbortController();
  const path = '/api/v1/namespaces/default/configmaps?fieldSelector=metadata.name!%3Dkube-root-ca.crt';
  const { client } = annex.admin;
  const { metadata } = await client.json<{ metadata: { resourceVersion: string } }>({ path });
  const { resourceVersion } = metadata;
  const watch = client.watch<KubeObject>(path, { resourceVersion, signal: stop.signal });
  const writes = Array.from({ length: 20 }, (_, i) => maps.create(configMap(`meanwhile-${i}`)));
  await Promise.all([...writes, annex.restore(snapshot)]);
  await maps.create(configMap('last'));
  for await (const { object, type } of watch) {
    if (type === 'DELETED') known.delete(nameOf(object));
    else known.add(nameOf(object));
    if (nameOf(object) === 'last') break;
  }
  stop.abort();
  expect([...known].sort()).toEqual((await listed()).sort());
});

describe('a fork', () => {
  it('has the content of the first one, custom resources too, and is independent afterwards', async () => {
    await annex.admin.apply(definition);
    await annex.admin.apply([bicycle('mine')]);
    await using fork = await annex.fork();
    expect(fork.url).not.toBe(annex.url);
    const [here, there] = [annex, fork].map(({ admin }) => admin.resource(bicycles));
    expect((await there?.get('mine'))?.metadata.uid).toBe((await here?.get('mine'))?.metadata.uid);
    await there?.delete('mine');
    expect(await here?.list()).toHaveLength(1);
  });

  it('begins with a snapshot if there is one', async () => {
    const snapshot = await annex.snapshot();
    await annex.admin.resource<ConfigMap>(configMaps).create(configMap('after'));
    await using fork = await annex.fork(snapshot);
    await expect(fork.admin.resource(configMaps).get('after')).rejects.toMatchObject({ code: 404 });
  });
});

describe('the controllers', () => {
  it('delete the objects of a namespace, and objects without an owner', async () => {
    const namespaces = annex.admin.resource({ apiVersion: 'v1', resource: 'namespaces', kind: 'Namespace' });
    await namespaces.create({ metadata: { name: 'short-lived' } });
    await annex.admin.resource<ConfigMap>(configMaps).in('short-lived').create(configMap('inside'));
    const gone = namespaces.waitUntilGone('short-lived');
    await namespaces.delete('short-lived');
    await gone;
  });
});

describe('an extension server of the SDK', () => {
  const greetings = defineResource({
    version: 'v1',
    kind: 'Greeting',
    schema: {
      type: 'object',
      properties: {
        spec: {
          type: 'object',
          required: ['name'],
          properties: { name: { type: 'string' }, language: { type: 'string', default: 'en' } },
        },
      },
    },
  });

  it('is called through Annex, with the types of its schema', async () => {
    await using own = await startAnnex();
    await own.serve({ group: 'hello.example.com', resources: [greetings] });
    const hello = own.admin.resource('hello.example.com', greetings, 'default');
    const { spec } = await hello.create({ metadata: { name: 'moon' }, spec: { name: 'Moon' } });
    expect(spec?.language.toUpperCase()).toBe('EN');
    const jane = await own.as({ user: 'jane' });
    await expect(jane.resource('hello.example.com', greetings, 'default').list()).rejects.toThrow(
      'greetings.hello.example.com is forbidden: User "jane" cannot list',
    );
  });
});

describe('an instance', () => {
  it('accepts the options of the command line, and reports all errors', async () => {
    await expect(startAnnex({ args: ['--colour=red', '--port=many'] })).rejects.toThrow(/colour[\s\S]*port/);
    await using closed = await startAnnex({ args: ['--anonymous-auth=false', '--controllers='] });
    const anybody = await closed.anonymous();
    expect((await anybody.client.send({ path: '/version' })).status).toBe(401);
  });

  it('leaves nothing behind', async () => {
    const listeners = process.listenerCount('exit');
    const short = await startAnnex();
    const file = short.admin.kubeconfigFile;
    await short.stop();
    expect(process.listenerCount('exit')).toBe(listeners);
    expect(existsSync(file)).toBe(false);
    await expect(short.admin.client.send({ path: '/version' })).rejects.toThrow();
  });

  it('leaves neither sockets nor files open, however often', async () => {
    const open = () => readdirSync('/proc/self/fd').length;
    const round = async () => {
      const short = await startAnnex();
      const jane = await short.as({ user: 'jane' });
      await jane.client.send({ path: '/version' });
      const other = await short.fork();
      await Promise.all([short.stop(), other.stop()]);
    };
    await round();
    const before = open();
    for (let i = 0; i < 5; i++) await round();
    // The last sockets are closed asynchronously.
    await vi.waitFor(() => expect(open()).toBeLessThanOrEqual(before), { timeout: 10_000 });
  });
});
