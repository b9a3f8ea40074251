import { Client, loadKubeconfig } from '@annex/client';
import { formatTime, type JsonObject, type KubeObject } from '@annex/machinery';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Runner } from '../runners/runner.ts';
import { startAnnex } from '../runners/start-annex.ts';
import { awaitObject, findObject, isThere } from './await-object.ts';
import { findHelms, helmOf } from './clients/helm.ts';

const chart = new URL('../clients/chart/', import.meta.url).pathname;
const core = '/api/v1/namespaces/shop';
const gadget = '/apis/helm.example.com/v1/namespaces/shop/gadgets/demo';
const deployment = '/apis/apps/v1/namespaces/shop/deployments/demo';
const jobs = '/apis/batch/v1/namespaces/shop/jobs';
const merge = { 'content-type': 'application/merge-patch+json' };

const helms = findHelms('Helm');
it.skipIf(helms.length > 0)('needs Helm', () => undefined);

describe.each(helms)('Helm %s', (_name, binary) => {
  let annex: Runner;
  let api: Client;
  let helm: ReturnType<typeof helmOf>;

  const release = (...args: readonly string[]) => helm(...args, '--namespace', 'shop');
  const ok = async (...args: readonly string[]): Promise<string> => {
    const { code, output, text } = await release(...args);
    expect(code, text).toBe(0);
    return output;
  };
  const get = (path: string) => findObject(api, path);
  const patch = (path: string, body: JsonObject) => api.json({ method: 'PATCH', path, headers: merge, body });
  const configOf = async (name: string) => (await get(`${core}/configmaps/${name}`))?.data as JsonObject;
  const sizes = async () => {
    const [custom, builtin] = [await get(gadget), await get(deployment)] as KubeObject[];
    const spec = builtin?.spec as { template: { spec: { containers: { image: string; env: unknown[] }[] } } };
    const [container] = spec.template.spec.containers;
    return {
      config: (await configOf('demo')).size,
      custom: (custom?.spec as JsonObject).size,
      image: container?.image,
      env: container?.env,
    };
  };
  const ofSize = (size: number) => ({
    config: `${size}`,
    custom: size,
    image: `nginx:${size}`,
    env: [{ name: 'SIZE', value: `${size}` }],
  });
  const statuses = async (): Promise<string[]> =>
    (JSON.parse(await ok('history', 'demo', '-o', 'json')) as { status: string }[]).map(
      ({ status }) => status,
    );

  beforeAll(async () => {
    annex = await startAnnex({ ephemeral: true });
    api = new Client(await loadKubeconfig(annex.kubeconfig));
    helm = helmOf(binary, annex.kubeconfig, annex.dataDir);
  });
  afterAll(async () => {
    api?.close();
    await annex?.stop();
  });

  it('installs a chart with a CRD, and waits for its hooks', async () => {
    const installed = release('install', 'demo', chart, '--create-namespace');
    // No controller runs Jobs here: the test completes the Job.
    await awaitObject(api, jobs, 'demo-after', isThere);
    const lastTransitionTime = formatTime(Date.now());
    const condition = (type: string) => ({ type, status: 'True', lastTransitionTime });
    await patch(`${jobs}/demo-after/status`, {
      status: {
        startTime: lastTransitionTime,
        completionTime: lastTransitionTime,
        succeeded: 1,
        conditions: [condition('SuccessCriteriaMet'), condition('Complete')],
      },
    });
    const { code, text } = await installed;
    expect(code, text).toBe(0);
    expect(text).toContain('STATUS: deployed');
    expect(await sizes()).toEqual(ofSize(1));
    expect(await configOf('demo')).toMatchObject({ served: 'true', found: 'Active' });
    expect(await configOf('demo-before')).toEqual({ revision: '1' });
    expect(await get(`${jobs}/demo-after`)).toBeUndefined();
  });

  it('upgrades it, and deletes objects that are no longer part of it', async () => {
    await ok('upgrade', 'demo', chart, '--set', 'size=2,extra=false');
    expect(await sizes()).toEqual(ofSize(2));
    expect(await get(`${core}/configmaps/demo-extra`)).toBeUndefined();
    expect(await configOf('demo-before')).toEqual({ revision: '2' });
  });

  it('keeps additions of others, and reverts their changes', async () => {
    await patch(gadget, { metadata: { labels: { other: 'a' } }, spec: { labels: { other: 'a' } } });
    await patch(deployment, { spec: { replicas: 3 } });
    await ok('upgrade', 'demo', chart, '--set', 'size=3');
    expect(await sizes()).toEqual(ofSize(3));
    expect(await get(gadget)).toMatchObject({
      metadata: { labels: { other: 'a' } },
      spec: { labels: { other: 'a' } },
    });
    expect(await get(deployment)).toMatchObject({ spec: { replicas: 3 } });
  });

  it('fails an upgrade that violates the schema of the kind', async () => {
    const { code, text } = await release('upgrade', 'demo', chart, '--set', 'size=11');
    expect(code).toBe(1);
    expect(text).toContain('spec.size in body should be less than or equal to 10');
    expect((await statuses()).at(-1)).toBe('failed');
  });

  it('rolls back to an earlier revision', async () => {
    await ok('rollback', 'demo', '1');
    expect(await sizes()).toEqual(ofSize(1));
    expect(await configOf('demo-extra')).toBeUndefined();
    expect(await get(`${core}/configmaps/demo-extra`)).toBeDefined();
    expect(await statuses()).toEqual(['superseded', 'superseded', 'superseded', 'failed', 'deployed']);
  });

  it('lists installed releases', async () => {
    expect(JSON.parse(await ok('list', '-o', 'json'))).toMatchObject([
      { name: 'demo', namespace: 'shop', revision: '5', status: 'deployed', chart: 'shop-1.0.0' },
    ]);
    expect(await ok('get', 'manifest', 'demo')).toContain('kind: Gadget');
    expect(await ok('status', 'demo', '-o', 'json')).toContain('"deployed"');
  });

  it('uninstalls it, except for the CRD and objects to keep', async () => {
    expect(await ok('uninstall', 'demo')).toContain('demo-kept');
    for (const path of [gadget, deployment, `${core}/services/demo`, `${core}/configmaps/demo`])
      expect(await get(path), path).toBeUndefined();
    expect(await get(`${core}/configmaps/demo-kept`)).toBeDefined();
    const { items } = await api.json<{ items: unknown[] }>({ path: `${core}/secrets` });
    expect(items).toEqual([]);
    const crd = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/gadgets.helm.example.com';
    expect(await get(crd)).toBeDefined();
  });
});
