import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startScheduler } from '@annex/scheduler';
import { freePort, type TempFolder, tempFolder } from '@annex/testkit';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { Client, type KubeObject, startAnnex, type TestAnnex, type User } from './index.ts';

// The documentation's page "Configure Multiple Schedulers": its objects, and its three Pods.

const guide = readFileSync(
  new URL('../../../docs/guides/configure-multiple-schedulers.md', import.meta.url),
  'utf8',
);
/** The documents that a block of the guide writes into a file. */
const written = (file: string): string =>
  guide.split(`cat > ${file} <<'YAML'\n`)[1]?.split('\nYAML\n')[0] ?? '';

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
let folder: TempFolder;
let port: number;
let mine: AsyncDisposable;

/** Returns a file with this configuration of a scheduler. */
function configFile(name: string, text: string, { kubeconfigFile }: User): string {
  const file = join(folder.path, name);
  writeFileSync(file, `${text}\nclientConnection: { kubeconfig: ${kubeconfigFile} }\n`);
  return `--config=${file}`;
}

beforeAll(async () => {
  folder = tempFolder();
  annex = await startAnnex({ schedulers: ['default-scheduler'], fakeNodes: 2 });
  await annex.admin.apply(written('my-scheduler.yaml'));
  account = await annex.serviceAccount('kube-system', 'my-scheduler');
  // The kubelet mounts it.
  const { data } = await annex.admin.client.json<KubeObject & { data: Record<string, string> }>({
    path: '/api/v1/namespaces/kube-system/configmaps/my-scheduler-config',
  });
  port = await freePort();
  const config = configFile('my-scheduler-config.yaml', data['my-scheduler-config.yaml'] ?? '', account);
  const delegated = [`--authentication-kubeconfig=${account.kubeconfigFile}`];
  mine = await startScheduler({
    args: [config, '--accept-earlier-config', `--secure-port=${port}`, ...delegated],
  });
}, 60_000);
afterAll(async () => {
  await mine[Symbol.asyncDispose]();
  await annex.stop();
  folder[Symbol.dispose]();
});

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

it('SCH-002, SCH-003: the documented image has kube-scheduler where the Deployment starts it', () => {
  const recipe = /```dockerfile\n(.*)\n(.*)\n```/.exec(guide);
  expect(recipe?.slice(1)).toEqual([
    'FROM busybox',
    'ADD ./_output/local/bin/linux/amd64/kube-scheduler /usr/local/bin/kube-scheduler',
  ]);
  const [, image = ''] = /^docker build -t (\S+) \.$/m.exec(guide) ?? [];
  expect(image).toBe('gcr.io/my-gcp-project/my-kube-scheduler:1.0');
  expect(written('my-scheduler.yaml')).toContain(`        - /usr/local/bin/kube-scheduler\n`);
  expect(written('my-scheduler.yaml')).toContain(`        image: ${image}\n`);
});

it('SCH-015: the probes of the Deployment reach /healthz over HTTPS without credentials', async () => {
  const client = new Client({ server: `https://127.0.0.1:${port}`, insecureSkipTlsVerify: true });
  const { status, body } = await client.send({ path: '/healthz', headers: { accept: '*/*' } });
  expect([status, body.toString()]).toEqual([200, 'ok']);
  client.close();
});

it('SCH-017: --config passes the configuration of the ConfigMap: without it, nobody has the name my-scheduler', async () => {
  await create('configured', { schedulerName: 'my-scheduler' });
  await bound('configured');
  expect(await schedulerOf('configured')).toBe('my-scheduler');
});

it('SCH-001, SCH-011, SCH-031, SCH-034: a Pod is bound by the scheduler that it names, and its event says so', async () => {
  await create('of-default', { schedulerName: 'default-scheduler' });
  await create('of-mine', { schedulerName: 'my-scheduler' });
  await Promise.all(['of-default', 'of-mine'].map(bound));
  expect(await schedulerOf('of-default')).toBe('default-scheduler');
  expect(await schedulerOf('of-mine')).toBe('my-scheduler');
});

it('a Pod that fits nowhere has the reason of each node in its condition', async () => {
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

it('the attempts of a Pod are remembered by the scheduler that made them', async () => {
  const read = (client: Client, name: string) =>
    client.json<{ attempts: object[] }>({ path: `/annex/attempts/default/${name}` });
  const refused = {
    result: 'unschedulable',
    number: 1,
    queuedBy: 'UnschedulablePodAdd',
    refusals: [
      { plugin: 'NodeAffinity', nodes: 2, reason: "node(s) didn't match Pod's node affinity/selector" },
    ],
  };
  expect((await read(annex.admin.client, 'nowhere')).attempts[0]).toMatchObject(refused);
  const { cert = '', key = '' } = annex.admin.config;
  const client = new Client({ server: `https://127.0.0.1:${port}`, insecureSkipTlsVerify: true, cert, key });
  // It reads the CAs of clients after its start.
  const attempts = () => read(client, 'of-mine').then((found) => found.attempts, String);
  await expect
    .poll(attempts)
    .toMatchObject([{ result: 'bound', schedulerName: 'my-scheduler', feasibleNodes: 2 }]);
  client.close();
  await expect(read(account.client, 'nowhere')).rejects.toThrow('cannot get path');
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
    ['no-annotation', 'default-scheduler'],
    ['annotation-default-scheduler', 'default-scheduler'],
    ['annotation-second-scheduler', 'my-scheduler'],
  ]);
  await annex.admin.apply(written('pods.yaml'));
  for (const [name, schedulerName] of names) {
    const { spec } = await pods().waitFor(name, ({ status }) => status?.phase === 'Running', {
      timeoutMs: 60_000,
    });
    expect(spec.schedulerName).toBe(schedulerName);
  }
});

it('SCH-035: the main scheduler decides as configured after it was started with another file', async () => {
  const start = (name: string, plugins: string) =>
    startScheduler({
      args: [
        configFile(
          name,
          `apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
leaderElection: { leaderElect: false }
profiles: [{ schedulerName: main, plugins: ${plugins} }]`,
          annex.admin,
        ),
      ],
    });
  await create('of-main', { schedulerName: 'main', nodeSelector: { disk: 'ssd' } });
  {
    await using _first = await start('first.yaml', '{}');
    const { spec } = await pods().waitFor('of-main', ({ status }) => status?.conditions !== undefined);
    expect(spec.nodeName).toBeUndefined();
  }
  await using _second = await start('second.yaml', '{ multiPoint: { disabled: [{ name: NodeAffinity }] } }');
  expect((await bound('of-main')).spec.nodeName).toMatch(/^fake-node-/);
});
