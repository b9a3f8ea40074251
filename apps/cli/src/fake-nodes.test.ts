import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Leadership } from '@annex/client';
import { createFakeNodes, type FakeNodes } from '@annex/fake-nodes';
import type { KubeObject } from '@annex/machinery';
import { createLogger, createMetrics, systemClock } from '@annex/runtime';
import { loadTestCA } from '@annex/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningAnnex, runAnnex } from './running-annex.fixture.ts';

/** Milliseconds; a busy machine is slow. */
const patience = { timeout: 60_000, interval: 20 };
const pods = '/api/v1/namespaces/default/pods';
const leases = '/apis/coordination.k8s.io/v1/namespaces';

let annex: RunningAnnex;
const running: FakeNodes[] = [];

/** Starts fake nodes as a process would do with the certificate of `annex pki`. */
async function start(identity: string): Promise<FakeNodes> {
  const ca = loadTestCA(annex.pki);
  const { certificate, key } = ca.issue({ commonName: 'annex:fake-nodes', organizations: [] });
  const client = {
    server: annex.url,
    ca: readFileSync(join(annex.pki, 'ca.crt'), 'utf8'),
    cert: certificate,
    key,
  };
  const config = {
    fakeNodes: '2',
    fakeNodeStages: [],
    fakeNodeCidr: '198.19.0.0/16',
    fakePodCidr: '198.18.0.0/16',
    nodeLeaseDurationSeconds: 40,
    nodeStatusReportFrequency: 300_000,
  };
  const deps = {
    clock: systemClock,
    log: createLogger({ level: 'off', format: 'text' }),
    metrics: createMetrics(),
  };
  const leadership: Leadership = {
    identity,
    name: 'annex-fake-nodes',
    retryPeriodMs: 50,
    lost: () => undefined,
  };
  const nodes = createFakeNodes(deps, config, client, leadership);
  await nodes.start();
  running.push(nodes);
  return nodes;
}

const read = (path: string): Promise<KubeObject> => annex.admin.json<KubeObject>({ path });

/** Resolves to the object when it matches; reads it again until then. */
const until = async (path: string, matches: (object: KubeObject) => boolean): Promise<KubeObject> =>
  await expect
    .poll(async () => {
      const object = await read(path).catch(() => undefined);
      return object !== undefined && matches(object);
    }, patience)
    .toBe(true)
    .then(() => read(path));

const holder = (object: KubeObject): unknown => (object.spec as { holderIdentity?: string }).holderIdentity;
const phase = (object: KubeObject): unknown => (object.status as { phase?: string }).phase;
const isReady = ({ status, spec }: KubeObject): boolean => {
  const { conditions } = status as { conditions?: { type: string; status: string }[] };
  const { taints } = (spec ?? {}) as { taints?: unknown[] };
  return (
    conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') === true && !taints?.length
  );
};

beforeAll(async () => {
  annex = await runAnnex('--ephemeral', '--authorization-mode=RBAC');
});
afterAll(async () => {
  for (const nodes of running) await nodes.stop();
  await annex.stop();
});

describe('two processes of fake nodes with their own identity', () => {
  let first: FakeNodes;

  it('keep nodes ready by one of them, which runs Pods', async () => {
    first = await start('first');
    await until('/api/v1/nodes/fake-node-1', isReady);
    await until(`${leases}/kube-node-lease/leases/fake-node-1`, (lease) => holder(lease) === 'fake-node-1');
    const second = await start('second');
    await expect.poll(() => second.isReady(), patience).toBe(true);
    expect(holder(await read(`${leases}/kube-system/leases/annex-fake-nodes`))).toBe('first');
    const body = {
      metadata: { name: 'web' },
      spec: { nodeName: 'fake-node-0', containers: [{ name: 'c', image: 'nginx' }] },
    };
    await annex.admin.json({ method: 'POST', path: pods, body });
    await until(`${pods}/web`, (pod) => phase(pod) === 'Running');
  });

  it('hand the nodes over when one stops, and delete Pods', async () => {
    await first.stop();
    await until(`${leases}/kube-system/leases/annex-fake-nodes`, (lease) => holder(lease) === 'second');
    await annex.admin.json({ method: 'DELETE', path: `${pods}/web` });
    await expect.poll(() => read(`${pods}/web`).then(phase, () => 'gone'), patience).toBe('gone');
  });
});
