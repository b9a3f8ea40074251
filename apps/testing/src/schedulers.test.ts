import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { type KubeObject, startAnnex, type TestAnnex, type User } from './index.ts';

// The documentation's page "Configure Multiple Schedulers": its objects, and its three Pods.

const manifest = `
apiVersion: v1
kind: ServiceAccount
metadata: { name: my-scheduler, namespace: kube-system }
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: { name: my-scheduler-as-kube-scheduler }
subjects: [{ kind: ServiceAccount, name: my-scheduler, namespace: kube-system }]
roleRef: { kind: ClusterRole, name: 'system:kube-scheduler', apiGroup: rbac.authorization.k8s.io }
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: { name: my-scheduler-as-volume-scheduler }
subjects: [{ kind: ServiceAccount, name: my-scheduler, namespace: kube-system }]
roleRef: { kind: ClusterRole, name: 'system:volume-scheduler', apiGroup: rbac.authorization.k8s.io }
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: { name: my-scheduler-extension-apiserver-authentication-reader, namespace: kube-system }
roleRef: { kind: Role, name: extension-apiserver-authentication-reader, apiGroup: rbac.authorization.k8s.io }
subjects: [{ kind: ServiceAccount, name: my-scheduler, namespace: kube-system }]
---
apiVersion: apps/v1
kind: Deployment
metadata:
  name: my-scheduler
  namespace: kube-system
  labels: { component: scheduler, tier: control-plane }
spec:
  selector: { matchLabels: { component: scheduler, tier: control-plane } }
  replicas: 1
  template:
    metadata: { labels: { component: scheduler, tier: control-plane, version: second } }
    spec:
      serviceAccountName: my-scheduler
      containers:
        - name: kube-second-scheduler
          image: gcr.io/my-gcp-project/my-kube-scheduler:1.0
          command: [/usr/local/bin/kube-scheduler, --config=/etc/kubernetes/my-scheduler/my-scheduler-config.yaml]
          livenessProbe: { httpGet: { path: /healthz, port: 10259, scheme: HTTPS }, initialDelaySeconds: 15 }
          readinessProbe: { httpGet: { path: /healthz, port: 10259, scheme: HTTPS } }
          resources: { requests: { cpu: '0.1' } }
          securityContext: { privileged: false }
          volumeMounts: [{ name: config-volume, mountPath: /etc/kubernetes/my-scheduler }]
      hostNetwork: false
      hostPID: false
      volumes: [{ name: config-volume, configMap: { name: my-scheduler-config } }]
`;

interface Pod extends KubeObject {
  spec: { nodeName?: string; schedulerName?: string };
  status?: {
    phase?: string;
    conditions?: { type: string; status: string; reason?: string; message?: string }[];
  };
}

interface Event extends KubeObject {
  reason: string;
  reportingController?: string;
  regarding?: { name?: string };
}

let annex: TestAnnex;
let account: User;

beforeAll(async () => {
  annex = await startAnnex({ schedulers: ['default-scheduler', 'my-scheduler'], fakeNodes: 2 });
  await annex.admin.apply(manifest);
  account = await annex.serviceAccount('kube-system', 'my-scheduler');
}, 60_000);
afterAll(() => annex.stop());

const pods = () =>
  annex.admin.resource<Pod>({ apiVersion: 'v1', resource: 'pods', kind: 'Pod', namespace: 'default' });
const create = (name: string, spec: object = {}) =>
  pods().create({ metadata: { name }, spec: { containers: [{ name: 'c', image: 'i' }], ...spec } } as never);
const bound = (name: string) =>
  pods().waitFor(name, (pod) => (pod.spec.nodeName ?? '') !== '', { timeoutMs: 30_000 });

async function schedulerOf(name: string): Promise<string | undefined> {
  const events = annex.admin.resource<Event>({
    apiVersion: 'events.k8s.io/v1',
    resource: 'events',
    kind: 'Event',
    namespace: 'default',
  });
  const find = async () =>
    (await events.list()).find(({ reason, regarding }) => reason === 'Scheduled' && regarding?.name === name);
  return (await vi.waitUntil(find, { timeout: 20_000, interval: 100 })).reportingController;
}

it('SCH-029: a Pod without a scheduler name is bound by default-scheduler', async () => {
  const { spec } = await create('without-name');
  expect(spec.schedulerName).toBe('default-scheduler');
  expect((await bound('without-name')).spec.nodeName).toMatch(/^fake-node-/);
});

it('SCH-001, SCH-031, SCH-034: a Pod is bound by the scheduler that it names, and its event says so', async () => {
  await create('of-default', { schedulerName: 'default-scheduler' });
  await create('of-mine', { schedulerName: 'my-scheduler' });
  await Promise.all(['of-default', 'of-mine'].map(bound));
  expect(await schedulerOf('of-default')).toBe('default-scheduler');
  expect(await schedulerOf('of-mine')).toBe('my-scheduler');
});

it('SCH-011: a Pod that fits nowhere has the reason of each node in its condition', async () => {
  await create('nowhere', { nodeSelector: { disk: 'ssd' } });
  const { status } = await pods().waitFor(
    'nowhere',
    (pod) => (pod.status?.conditions ?? []).some(({ type }) => type === 'PodScheduled'),
    { timeoutMs: 30_000 },
  );
  expect(status?.conditions?.find(({ type }) => type === 'PodScheduled')).toMatchObject({
    status: 'False',
    reason: 'Unschedulable',
    message: expect.stringContaining(
      "0/2 nodes are available: 2 node(s) didn't match Pod's node affinity/selector. ",
    ) as string,
  });
});

async function isAllowed(resourceAttributes: object): Promise<boolean | undefined> {
  const { status } = await account.client.json<{ status: { allowed?: boolean } }>({
    method: 'POST',
    path: '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
    body: {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SelfSubjectAccessReview',
      spec: { resourceAttributes },
    },
  });
  return status.allowed;
}

it.each([
  [
    'SCH-007: the binding to system:volume-scheduler lets the account change volumes',
    { verb: 'patch', resource: 'persistentvolumes' },
  ],
  [
    'SCH-025: system:kube-scheduler lets the account create leases',
    { verb: 'create', group: 'coordination.k8s.io', resource: 'leases', namespace: 'kube-system' },
  ],
])('%s', async (_name, attributes) => {
  expect(await isAllowed(attributes)).toBe(true);
  expect(await isAllowed({ ...attributes, verb: 'deletecollection' })).toBe(false);
});

it('SCH-008: the account reads the ConfigMap extension-apiserver-authentication', async () => {
  const { data } = await account.client.json<KubeObject & { data: object }>({
    path: '/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication',
  });
  expect(data).toHaveProperty('client-ca-file');
});

it('SCH-013, SCH-014, SCH-016: the Deployment of the second scheduler is stored as documented', async () => {
  const { metadata, spec } = await annex.admin.client.json<KubeObject & { spec: unknown }>({
    path: '/apis/apps/v1/namespaces/kube-system/deployments/my-scheduler',
  });
  expect(metadata.labels).toEqual({ component: 'scheduler', tier: 'control-plane' });
  expect(spec).toMatchObject({
    replicas: 1,
    template: {
      metadata: { labels: { component: 'scheduler', tier: 'control-plane', version: 'second' } },
      spec: {
        serviceAccountName: 'my-scheduler',
        containers: [
          {
            name: 'kube-second-scheduler',
            command: [
              '/usr/local/bin/kube-scheduler',
              '--config=/etc/kubernetes/my-scheduler/my-scheduler-config.yaml',
            ],
            livenessProbe: {
              httpGet: { path: '/healthz', port: 10_259, scheme: 'HTTPS' },
              initialDelaySeconds: 15,
            },
            resources: { requests: { cpu: '100m' } },
            securityContext: { privileged: false },
            volumeMounts: [{ name: 'config-volume', mountPath: '/etc/kubernetes/my-scheduler' }],
          },
        ],
        volumes: [{ name: 'config-volume', configMap: { name: 'my-scheduler-config' } }],
      },
    },
  });
});

it('SCH-028, SCH-030, SCH-032: the Pods without a scheduler name, with default-scheduler and with my-scheduler run', async () => {
  const names = new Map([
    ['no-annotation', undefined],
    ['annotation-default-scheduler', 'default-scheduler'],
    ['annotation-second-scheduler', 'my-scheduler'],
  ]);
  for (const [name, schedulerName] of names)
    await pods().create({
      metadata: { name, labels: { name: 'multischeduler-example' } },
      spec: {
        ...(schedulerName === undefined ? {} : { schedulerName }),
        containers: [{ name: 'c', image: 'registry.k8s.io/pause:3.8' }],
      },
    } as never);
  for (const [name, schedulerName = 'default-scheduler'] of names) {
    const { spec } = await pods().waitFor(name, ({ status }) => status?.phase === 'Running', {
      timeoutMs: 60_000,
    });
    expect(spec.schedulerName).toBe(schedulerName);
  }
});
