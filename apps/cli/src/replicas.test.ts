import type { Client } from '@annex/client';
import type { KubeObject } from '@annex/machinery';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { post, type Replicas, runReplicas } from './replicas.fixture.ts';

const namespace = '/api/v1/namespaces/default';
const services = `${namespace}/services`;
const configMaps = `${namespace}/configmaps`;

let running: Replicas;
beforeAll(async () => {
  running = await runReplicas();
}, 60_000);
afterAll(() => running[Symbol.asyncDispose]());

const numbers = (count: number) => Array.from({ length: count }, (_, i) => i);
/** Resolves to the objects that were created, of those that the replicas were asked for in turn and at the same time. */
async function createInTurn(path: string, bodies: readonly object[]): Promise<KubeObject[]> {
  const settled = await Promise.allSettled(bodies.map((body) => post(running.next(), path, body)));
  return settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
}
const list = async (client: Client, path: string) =>
  (await client.json<{ items: KubeObject[] }>({ path })).items;

describe('two replicas on one etcd', () => {
  it.each([
    ['a cluster address', { clusterIP: '10.0.77.7', ports: [{ port: 80 }] }],
    ['a node port', { type: 'NodePort', ports: [{ port: 80, nodePort: 30123 }] }],
  ])('give %s to one Service', async (what, spec) => {
    const name = what.replaceAll(' ', '-');
    const created = await createInTurn(
      services,
      numbers(8).map((i) => ({ metadata: { name: `${name}-${i}` }, spec })),
    );
    expect(created).toHaveLength(1);
  });

  it('give different addresses and node ports to Services that are created at the same time', async () => {
    const spec = { type: 'NodePort', ports: [{ port: 80 }] };
    const created = await createInTurn(
      services,
      numbers(20).map((i) => ({ metadata: { name: `any-${i}` }, spec })),
    );
    const specs = created.map((one) => one.spec as { clusterIP: string; ports: { nodePort: number }[] });
    expect(new Set(specs.map(({ clusterIP }) => clusterIP)).size).toBe(20);
    expect(new Set(specs.map(({ ports }) => ports[0]!.nodePort)).size).toBe(20);
  });

  it('give a node port that a Service no longer has to another one', async () => {
    const [a, b] = running.clients;
    const spec = { type: 'NodePort', ports: [{ port: 80, nodePort: 30200 }] };
    await post(a, services, { metadata: { name: 'leaves' }, spec });
    await b.json({
      method: 'PATCH',
      path: `${services}/leaves`,
      headers: { 'content-type': 'application/merge-patch+json' },
      body: { spec: { type: 'ClusterIP', ports: [{ port: 80, nodePort: null }] } },
    });
    await post(a, services, { metadata: { name: 'comes' }, spec });
    await b.json({ method: 'DELETE', path: `${services}/comes` });
    await post(a, services, { metadata: { name: 'follows' }, spec });
  });

  it('never exceed a quota', async () => {
    await post(running.next(), '/api/v1/namespaces', { metadata: { name: 'limited' } });
    const path = '/api/v1/namespaces/limited';
    const quota = { metadata: { name: 'q' }, spec: { hard: { 'count/configmaps': '5' } } };
    await post(running.clients[0], `${path}/resourcequotas`, quota);
    const status = {
      ...quota,
      apiVersion: 'v1',
      kind: 'ResourceQuota',
      status: { ...quota.spec, used: { 'count/configmaps': '0' } },
    };
    const { metadata } = await running.clients[0].json<KubeObject>({ path: `${path}/resourcequotas/q` });
    await running.clients[0].json({
      method: 'PUT',
      path: `${path}/resourcequotas/q/status`,
      body: { ...status, metadata },
    });
    await running.clients[1].json({ path: `${path}/resourcequotas/q` });
    await createInTurn(
      `${path}/configmaps`,
      numbers(20).map((i) => ({ metadata: { name: `c-${i}` } })),
    );
    const count = (await list(running.next(), `${path}/configmaps`)).length;
    expect(count).toBeGreaterThan(0);
    expect(count).toBeLessThanOrEqual(5);
  });

  it('read what the other has acknowledged', async () => {
    for (const i of numbers(20)) {
      const [writer, reader] = i % 2 ? running.clients : running.clients.toReversed();
      const { metadata } = await post(writer!, configMaps, { metadata: { name: `fresh-${i}` } });
      const read = await reader!.json<KubeObject>({ path: `${configMaps}/fresh-${i}` });
      expect(read.metadata.resourceVersion).toBe(metadata.resourceVersion);
      expect((await list(writer!, configMaps)).map((one) => one.metadata.name)).toContain(`fresh-${i}`);
      expect((await list(reader!, configMaps)).map((one) => one.metadata.name)).toContain(`fresh-${i}`);
    }
  });

  it('continue a list that the other began, as it was then', async () => {
    const [a, b] = running.clients;
    type Page = { items: KubeObject[]; metadata: { continue?: string; resourceVersion: string } };
    const first = await a.json<Page>({ path: `${configMaps}?limit=3` });
    await post(a, configMaps, { metadata: { name: 'zz-late' } });
    const query = `limit=500&continue=${encodeURIComponent(first.metadata.continue ?? '')}`;
    const rest = await b.json<Page>({ path: `${configMaps}?${query}` });
    expect(rest.metadata.resourceVersion).toBe(first.metadata.resourceVersion);
    const names = [...first.items, ...rest.items].map((one) => one.metadata.name);
    expect(names).not.toContain('zz-late');
    expect(names).toContain('fresh-0');
  });

  it('continue a watch that the other served, without a gap', async () => {
    const [a, b] = running.clients;
    const { metadata } = await post(a, configMaps, { metadata: { name: 'watched-0' } });
    await post(b, configMaps, { metadata: { name: 'watched-1' } });
    const { metadata: last } = await post(a, configMaps, { metadata: { name: 'watched-2' } });
    const ending = new AbortController();
    const names: string[] = [];
    const path = `${configMaps}?watch=true&resourceVersion=${metadata.resourceVersion}`;
    const message = await b.open({ path, signal: ending.signal });
    for await (const chunk of message) {
      for (const line of String(chunk).split('\n').filter(Boolean)) {
        names.push((JSON.parse(line) as { object: KubeObject }).object.metadata.name ?? '');
      }
      if (names.length >= 2) break;
    }
    ending.abort();
    expect(names).toEqual(['watched-1', 'watched-2']);
    expect(Number(last.resourceVersion)).toBeGreaterThan(Number(metadata.resourceVersion));
  });

  it('serve a custom resource whose definition the other got', async () => {
    const names = { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' };
    const schema = { openAPIV3Schema: { type: 'object' } };
    await post(running.clients[0], '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
      metadata: { name: 'widgets.example.com' },
      spec: {
        group: 'example.com',
        scope: 'Namespaced',
        names,
        versions: [{ name: 'v1', served: true, storage: true, schema }],
      },
    });
    const widgets = '/apis/example.com/v1/namespaces/default/widgets';
    const body = { apiVersion: 'example.com/v1', kind: 'Widget' };
    for (const [i, client] of running.clients.entries()) {
      const created = () =>
        post(client, widgets, { ...body, metadata: { name: `w-${i}` } }).then(
          () => true,
          () => false,
        );
      await expect.poll(created, { timeout: 10_000 }).toBe(true);
    }
    for (const client of running.clients) expect(await list(client, widgets)).toHaveLength(2);
  });

  it('accept the tokens that the other issued', async () => {
    const [a, b] = running.clients;
    await post(a, `${namespace}/serviceaccounts`, { metadata: { name: 'robot' } });
    const request = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} };
    const issued = await post(a, `${namespace}/serviceaccounts/robot/token`, request);
    const { token } = issued.status as { token: string };
    const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', spec: { token } };
    const { status } = await post(b, '/apis/authentication.k8s.io/v1/tokenreviews', review);
    expect(status).toMatchObject({ authenticated: true });
  });

  it('have created the objects of RBAC once', async () => {
    const path = '/apis/rbac.authorization.k8s.io/v1/clusterroles';
    const [a, b] = await Promise.all(running.clients.map((client) => list(client, path)));
    expect(a).toEqual(b);
    expect(new Set(a!.map((one) => one.metadata.name)).size).toBe(a!.length);
  });
});
