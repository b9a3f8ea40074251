import { Client, loadKubeconfig } from '@annex/client';
import type { JsonObject, KubeObject } from '@annex/machinery';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Runner } from '../runners/runner.ts';
import { startAnnex } from '../runners/start-annex.ts';
import { awaitObject, isGone } from './await-object.ts';

const namespaces = '/api/v1/namespaces';
const quotas = (namespace: string) => `${namespaces}/${namespace}/resourcequotas`;
const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

let annex: Runner;
let api: Client;

const create = (collection: string, object: JsonObject) =>
  api.json<KubeObject>({ method: 'POST', path: collection, body: object });
const patch = (path: string, body: JsonObject) =>
  api.json({
    method: 'PATCH',
    path,
    headers: { 'content-type': 'application/merge-patch+json' },
    body,
  });
const remove = (path: string) => api.json({ method: 'DELETE', path });

const newNamespace = async (name: string, hard: JsonObject, spec: JsonObject = {}): Promise<string> => {
  await create(namespaces, { metadata: { name } });
  await create(quotas(name), { metadata: { name: 'limits' }, spec: { hard, ...spec } });
  return name;
};
const untilUsed = (namespace: string, used: JsonObject) =>
  awaitObject(api, quotas(namespace), 'limits', (quota) => {
    const status = (quota?.status ?? {}) as { used?: JsonObject };
    return Object.entries(used).every(([name, amount]) => status.used?.[name] === amount);
  });

beforeAll(async () => {
  annex = await startAnnex({ controllers: '*', ephemeral: true });
  api = new Client(await loadKubeconfig(annex.kubeconfig));
});
afterAll(async () => {
  api.close();
  await annex.stop();
});

it('existing objects are measured, deletions are credited, and a changed limit applies immediately', async () => {
  const ns = await newNamespace('measured', { secrets: '2', 'count/leases.coordination.k8s.io': '1' });
  const secrets = `${namespaces}/${ns}/secrets`;
  await untilUsed(ns, { secrets: '0', 'count/leases.coordination.k8s.io': '0' });
  await create(secrets, { metadata: { name: 'one' } });
  await create(secrets, { metadata: { name: 'two' } });
  await expect(create(secrets, { metadata: { name: 'three' } })).rejects.toThrow(
    'secrets "three" is forbidden: exceeded quota: limits, requested: secrets=1, used: secrets=2, limited: secrets=2',
  );
  await remove(`${secrets}/one`);
  await untilUsed(ns, { secrets: '1' });
  await create(secrets, { metadata: { name: 'three' } });
  await patch(`${quotas(ns)}/limits`, { spec: { hard: { services: '0', secrets: null } } });
  const changed = await untilUsed(ns, { services: '0' });
  expect(changed?.status).toEqual({
    hard: { 'count/leases.coordination.k8s.io': '1', services: '0' },
    used: { 'count/leases.coordination.k8s.io': '0', services: '0' },
  });
});

it('completed pods release their requests', async () => {
  const ns = await newNamespace('ending', { pods: '5', 'requests.cpu': '1' }, { scopes: ['NotBestEffort'] });
  const pods = `${namespaces}/${ns}/pods`;
  const pod = (name: string, resources: JsonObject): JsonObject => ({
    metadata: { name },
    spec: { containers: [{ name: 'c', image: 'i', resources }] },
  });
  await untilUsed(ns, { pods: '0', 'requests.cpu': '0' });
  await create(pods, pod('asks', { requests: { cpu: '250m' } }));
  await create(pods, pod('says-nothing', {}));
  await untilUsed(ns, { pods: '1', 'requests.cpu': '250m' });
  await patch(`${pods}/asks/status`, { status: { phase: 'Succeeded' } });
  await untilUsed(ns, { pods: '0', 'requests.cpu': '0' });
});

it('custom resources are counted, also by a quota that is older than their definition', async () => {
  const ns = await newNamespace('custom', { 'count/widgets.ex.com': '1' });
  await create(definitions, {
    metadata: { name: 'widgets.ex.com' },
    spec: {
      group: 'ex.com',
      scope: 'Namespaced',
      names: { plural: 'widgets', kind: 'Widget' },
      versions: [
        { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } },
      ],
    },
  });
  await untilUsed(ns, { 'count/widgets.ex.com': '0' });
  const widgets = `/apis/ex.com/v1/namespaces/${ns}/widgets`;
  const widget = (name: string) =>
    create(widgets, { apiVersion: 'ex.com/v1', kind: 'Widget', metadata: { name } });
  await widget('one');
  await expect(widget('two')).rejects.toThrow('exceeded quota: limits, requested: count/widgets.ex.com=1');
  await remove(`${widgets}/one`);
  await untilUsed(ns, { 'count/widgets.ex.com': '0' });
  await widget('two');
});

it('a namespace with a quota can be deleted', async () => {
  const ns = await newNamespace('leaving', { configmaps: '5' });
  await untilUsed(ns, { configmaps: '1' });
  await remove(`${namespaces}/${ns}`);
  await awaitObject(api, namespaces, ns, isGone);
});
