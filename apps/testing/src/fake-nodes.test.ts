import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type KubeObject, startAnnex, type TestAnnex } from './index.ts';

const stage = (name: string, label: string, spec: object) => ({
  apiVersion: 'annex/v1alpha1',
  kind: 'Stage',
  metadata: { name },
  spec: { resourceRef: { kind: 'Pod' }, selector: { matchLabels: { is: label } }, ...spec },
});
const kwok = {
  apiVersion: 'kwok.x-k8s.io/v1alpha1',
  kind: 'Stage',
  metadata: { name: 'fail' },
  spec: {
    resourceRef: { apiGroup: 'v1', kind: 'Pod' },
    selector: {
      matchLabels: { is: 'unlucky' },
      matchExpressions: [{ key: '.status.phase', operator: 'In', values: ['Running'] }],
    },
    next: {
      event: { type: 'Warning', reason: 'Chaos', message: 'a stage ended the Pod' },
      statusTemplate: 'phase: Failed\nreason: Chaos\n',
    },
  },
};
const pods = { apiVersion: 'v1', resource: 'pods', kind: 'Pod', namespace: 'default' } as const;

interface Pod extends KubeObject {
  status?: {
    phase?: string;
    reason?: string;
    podIP?: string;
    containerStatuses?: { restartCount: number; state: object }[];
    conditions?: { type: string; status: string; reason?: string }[];
  };
}

let annex: TestAnnex;
beforeAll(async () => {
  annex = await startAnnex({
    fakeNodes: {
      nodes: [
        { apiVersion: 'annex/v1alpha1', kind: 'NodeShape', metadata: { name: 'node' }, count: 2 },
        {
          apiVersion: 'v1',
          kind: 'Node',
          metadata: { name: 'tainted' },
          spec: { taints: [{ key: 'gpu', effect: 'NoSchedule' }] },
        },
      ],
      stages: [
        stage('crash', 'fragile', {
          transition: 'Exit',
          failure: { exitCode: 1, times: 1 },
          delay: { durationMilliseconds: 0 },
        }),
        stage('stay', 'slow', { transition: 'Terminate', hold: true }),
        {
          ...stage('silent', 'silent', { transition: 'Heartbeat', hold: true }),
          spec: {
            resourceRef: { kind: 'Node' },
            selector: { matchLabels: { is: 'silent' } },
            transition: 'Heartbeat',
            hold: true,
          },
        },
        kwok,
      ],
    },
  });
});
afterAll(() => annex.stop());

const podsOf = () => annex.admin.resource<Pod>(pods);
const create = (name: string, spec: object = {}, labels: Record<string, string> = {}) =>
  podsOf().create({
    metadata: { name, labels },
    spec: { nodeName: 'node-0', containers: [{ name: 'c', image: 'nginx' }], ...spec },
  } as Pod);
const phaseIs = (phase: string) => (pod: Pod | undefined) => pod?.status?.phase === phase;

describe('fake nodes', () => {
  it('are ready, have Leases and no taint of new nodes', async () => {
    const nodes = annex.admin.resource<KubeObject>({ apiVersion: 'v1', resource: 'nodes' });
    const leases = annex.admin.resource<KubeObject>({
      apiVersion: 'coordination.k8s.io/v1',
      resource: 'leases',
      namespace: 'kube-node-lease',
    });
    for (const name of ['node-0', 'node-1', 'tainted']) {
      await nodes.waitForCondition(name, 'Ready');
      await leases.waitFor(name, (lease) => lease !== undefined);
    }
    const { spec } = await nodes.waitFor(
      'tainted',
      (node) => (node?.spec as { taints: object[] }).taints.length === 1,
    );
    expect(spec).toMatchObject({ taints: [{ key: 'gpu' }] });
  });

  it('report their health again when others changed it, unless a stage holds their heartbeat', async () => {
    const nodes = annex.admin.resource<KubeObject>({ apiVersion: 'v1', resource: 'nodes' });
    await annex.admin.apply(`
apiVersion: v1
kind: Node
metadata: { name: silent, labels: { is: silent }, annotations: { kwok.x-k8s.io/node: fake } }
`);
    const unknown = { conditions: [{ type: 'Ready', status: 'Unknown' }] };
    for (const name of ['silent', 'node-1']) {
      await annex.admin.client.json({
        method: 'PATCH',
        path: `/api/v1/nodes/${name}/status`,
        headers: { 'content-type': 'application/strategic-merge-patch+json' },
        body: { status: unknown },
      });
    }
    await nodes.waitForCondition('node-1', 'Ready');
    expect((await nodes.get('silent')).status).toMatchObject(unknown);
  });

  it('run Pods until they are deleted', async () => {
    await create('web', { initContainers: [{ name: 'init', image: 'busybox' }] });
    const { status } = await podsOf().waitForCondition('web', 'Ready');
    expect(status).toMatchObject({
      phase: 'Running',
      hostIP: '198.19.0.1',
      containerStatuses: [{ ready: true }],
    });
    expect(status?.conditions?.filter(({ reason }) => reason !== undefined)).toEqual([]);
    await podsOf().delete('web');
    await podsOf().waitUntilGone('web');
  });

  it('adopt nodes that are created later, with the Pods that are bound to them', async () => {
    await create('early', { nodeName: 'later' });
    await annex.admin.apply(
      '{ apiVersion: v1, kind: Node, metadata: { name: later, annotations: { kwok.x-k8s.io/node: fake } } }',
    );
    await podsOf().waitForCondition('early', 'Ready');
  });

  it('complete Pods that do not restart', async () => {
    await create('once', { restartPolicy: 'Never' });
    const { status } = await podsOf().waitFor('once', phaseIs('Succeeded'));
    expect(status?.containerStatuses?.[0]?.state).toMatchObject({
      terminated: { exitCode: 0, reason: 'Completed' },
    });
  });

  it('let Pods fail by stages, also by those of KWOK', async () => {
    await create('crashing', {}, { is: 'fragile' });
    await podsOf().waitFor('crashing', (pod) => pod?.status?.containerStatuses?.[0]?.restartCount === 1);
    await create('unlucky', {}, { is: 'unlucky' });
    const failed = await podsOf().waitFor('unlucky', phaseIs('Failed'));
    expect(failed.status?.reason).toBe('Chaos');
  });

  it('kill Pods at the end of their grace period', async () => {
    await create('slow', { terminationGracePeriodSeconds: 1 }, { is: 'slow' });
    await podsOf().waitForCondition('slow', 'Ready');
    // The finalizer keeps the Pod, so that its last status can be read.
    await podsOf().patch('slow', { metadata: { finalizers: ['example.com/keep'] } });
    await podsOf().delete('slow');
    const { status } = await podsOf().waitFor('slow', phaseIs('Failed'));
    expect(status?.containerStatuses?.[0]?.state).toMatchObject({ terminated: { exitCode: 137 } });
    await podsOf().patch('slow', { metadata: { finalizers: null } });
    await podsOf().waitUntilGone('slow');
  });

  it.each(['log', 'exec?command=ls&stdout=true', 'attach?stdout=true', 'portforward'])(
    'refuse %s with a message that names the node',
    async (subresource) => {
      const method = subresource === 'log' ? 'GET' : 'POST';
      const path = `/api/v1/namespaces/default/pods/once/${subresource}`;
      await expect(annex.admin.client.json({ method, path })).rejects.toThrow(
        `pod once is on the fake node node-0: its containers do not run, and pods/${subresource.split('?')[0]} cannot be served`,
      );
    },
  );
});

it('invalid stages are refused at the start', async () => {
  const started = startAnnex({ fakeNodes: { stages: [stage('typo', 'x', { transition: 'Exti' })] } });
  await expect(started).rejects.toThrow(
    'Stage "typo": spec.transition: of a Pod must be one of Sandbox, Pull',
  );
});
