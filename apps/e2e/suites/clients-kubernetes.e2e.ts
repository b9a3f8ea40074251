import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client, loadKubeconfig } from '@annex/client';
import type { JsonObject, KubeObject } from '@annex/machinery';
import { findTool, type RunningProcess } from '@annex/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Runner } from '../runners/runner.ts';
import { startAnnex } from '../runners/start-annex.ts';
import { awaitObject, isGone, isThere } from './await-object.ts';
import { findHelms, helmOf } from './clients/helm.ts';
import { findKubernetes, type Kubernetes, startKubernetes } from './clients/kubernetes.ts';
import { runCommand } from './command.ts';
import { patienceMs } from './patience.ts';

const suite = 'kube-scheduler and kube-controller-manager';
const binaries = findKubernetes(suite);
const namespaces = '/api/v1/namespaces';
const core = `${namespaces}/work`;
const apps = '/apis/apps/v1/namespaces/work';
const batch = '/apis/batch/v1/namespaces/work';
const merge = { 'content-type': 'application/merge-patch+json' };

const helms = findHelms(`Helm beside ${suite}`);
const chart = new URL('../clients/chart/', import.meta.url).pathname;

const pod = { containers: [{ name: 'c', image: 'nginx', resources: { requests: { cpu: '100m' } } }] };
const template = (app: string, spec: JsonObject = pod) => ({ metadata: { labels: { app } }, spec });
const selector = (app: string) => ({ matchLabels: { app } });
const named = (name: string, rest: JsonObject): JsonObject => ({ metadata: { name }, ...rest });

/** Returns a field of the status of an object. */
const statusOf = (object: KubeObject | undefined, field: string) =>
  (object?.status as JsonObject | undefined)?.[field];
const has = (field: string, value: unknown) => (object: KubeObject | undefined) =>
  statusOf(object, field) === value;

describe.runIf(binaries !== undefined)(suite, () => {
  let annex: Runner;
  let api: Client;
  let running: RunningProcess[] = [];

  const create = (path: string, body: JsonObject) => api.json<KubeObject>({ method: 'POST', path, body });
  const list = async (path: string): Promise<KubeObject[]> =>
    (await api.json<{ items: KubeObject[] }>({ path })).items;
  const podsOf = (app: string) => list(`${core}/pods?labelSelector=app%3D${app}`);
  const remove = (path: string, propagationPolicy: string) =>
    api.json({ method: 'DELETE', path, body: { propagationPolicy } });
  // Caches of the controllers are slow on a busy machine.
  const until = (path: string, name: string, wanted: Parameters<typeof awaitObject>[3]) =>
    awaitObject(api, path, name, wanted, 2 * patienceMs);

  const kubectl = async (...args: readonly string[]) => {
    const env = { ...process.env, KUBECONFIG: annex.kubeconfig };
    const { code, text } = await runCommand('kubectl', ['--namespace=work', ...args], {
      env,
      timeout: 2 * patienceMs,
    });
    expect(code, text).toBe(0);
    return text;
  };

  beforeAll(async () => {
    annex = await startAnnex({ ephemeral: true, args: ['--fake-nodes=2'] });
    api = new Client(await loadKubeconfig(annex.kubeconfig));
    const { 'kube-scheduler': scheduler, 'kube-controller-manager': manager } = binaries as Kubernetes;
    running = await Promise.all([
      startKubernetes(annex, scheduler, { 'leader-elect': 'false' }),
      startKubernetes(annex, manager, {
        'service-account-private-key-file': join(annex.pki, 'sa.key'),
        'root-ca-file': join(annex.pki, 'ca.crt'),
        'use-service-account-credentials': 'true',
      }),
    ]);
    await create(namespaces, named('work', {}));
  });
  afterAll(async () => {
    for (const process of running) await process.stop('SIGKILL');
    api?.close();
    await annex?.stop();
  });

  it('create the ServiceAccount and the root CA of a new namespace', async () => {
    await until(`${core}/serviceaccounts`, 'default', isThere);
    await until(`${core}/configmaps`, 'kube-root-ca.crt', isThere);
  });

  it('create Pods of a Deployment, bind them to a Node, and count running ones', async () => {
    await create(
      `${core}/services`,
      named('web', { spec: { selector: { app: 'web' }, ports: [{ port: 80 }] } }),
    );
    await create(
      `${apps}/deployments`,
      named('web', { spec: { replicas: 3, selector: selector('web'), template: template('web') } }),
    );
    await until(`${apps}/deployments`, 'web', has('replicas', 3));
    await until(`${apps}/deployments`, 'web', has('availableReplicas', 3));
    const slices = '/apis/discovery.k8s.io/v1/namespaces/work/endpointslices';
    const [slice] = await list(`${slices}?labelSelector=kubernetes.io%2Fservice-name%3Dweb`);
    await until(
      slices,
      slice?.metadata.name ?? '',
      (one) => (one?.endpoints as unknown[] | undefined)?.length === 3,
    );
  });

  it('roll a Deployment out through its scale and its template', async () => {
    const path = `${apps}/deployments/web`;
    await api.json({
      method: 'PATCH',
      path: `${path}/scale`,
      headers: merge,
      body: { spec: { replicas: 1 } },
    });
    await until(`${apps}/deployments`, 'web', has('replicas', 1));
    await api.json({
      method: 'PATCH',
      path,
      headers: { 'content-type': 'application/strategic-merge-patch+json' },
      body: { spec: { template: { spec: { containers: [{ name: 'c', image: 'nginx:2' }] } } } },
    });
    await until(`${apps}/deployments`, 'web', has('updatedReplicas', 1));
    await until(
      `${apps}/deployments`,
      'web',
      (one) => statusOf(one, 'replicas') === 1 && statusOf(one, 'availableReplicas') === 1,
    );
  });

  it('complete a Job', async () => {
    const spec = { ...pod, restartPolicy: 'Never' };
    await create(`${batch}/jobs`, named('once', { spec: { template: template('once', spec) } }));
    await until(`${batch}/jobs`, 'once', has('succeeded', 1));
  });

  it('bind the volume of a StatefulSet, and its Pod after that', async () => {
    const claim = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
    await create(
      '/api/v1/persistentvolumes',
      named('disk', {
        spec: {
          capacity: { storage: '1Gi' },
          accessModes: ['ReadWriteOnce'],
          hostPath: { path: '/disk' },
          persistentVolumeReclaimPolicy: 'Retain',
        },
      }),
    );
    await create(
      `${apps}/statefulsets`,
      named('db', {
        spec: {
          serviceName: 'db',
          selector: selector('db'),
          template: template('db'),
          volumeClaimTemplates: [named('data', { spec: claim })],
        },
      }),
    );
    await until(`${core}/persistentvolumeclaims`, 'data-db-0', has('phase', 'Bound'));
    await until(`${apps}/statefulsets`, 'db', has('availableReplicas', 1));
  });

  it.runIf(findTool('kubectl'))('let kubectl wait for a rollout, a Job and a StatefulSet', async () => {
    await kubectl('create', 'deployment', 'shop', '--image=nginx', '--replicas=3');
    expect(await kubectl('rollout', 'status', 'deployment/shop', '--timeout=60s')).toContain(
      'deployment "shop" successfully rolled out',
    );
    await kubectl('set', 'image', 'deployment/shop', 'nginx=nginx:2');
    await kubectl('rollout', 'status', 'deployment/shop', '--timeout=60s');
    await kubectl('rollout', 'status', 'statefulset/db', '--timeout=60s');
    await kubectl('create', 'job', 'task', '--image=busybox');
    await kubectl('wait', 'job/task', '--for=condition=Complete', '--timeout=60s');
    await kubectl('delete', 'deployment/shop', 'job/task', '--timeout=60s');
  });

  it('SCH-004, SCH-019: keep the Pod of the documented second scheduler running', async () => {
    const guide = new URL('../../../docs/guides/configure-multiple-schedulers.md', import.meta.url);
    const [, manifest = ''] =
      /cat > my-scheduler\.yaml <<'YAML'\n([^]*?)\nYAML\n/.exec(readFileSync(guide, 'utf8')) ?? [];
    writeFileSync(join(annex.dataDir, 'my-scheduler.yaml'), manifest);
    await kubectl('create', '-n', 'kube-system', '-f', join(annex.dataDir, 'my-scheduler.yaml'));
    const shown = async () => {
      await kubectl('rollout', 'status', 'deployment/my-scheduler', '-n', 'kube-system', '--timeout=60s');
      const [header = '', row = ''] = (await kubectl('get', 'pods', '-n', 'kube-system')).split('\n');
      expect(header.split(/ +/)).toEqual(['NAME', 'READY', 'STATUS', 'RESTARTS', 'AGE']);
      expect(row).toMatch(/^my-scheduler-\w+-\w+ +1\/1 +Running +0 /);
      return row.split(' ')[0] ?? '';
    };
    const first = await shown();
    await kubectl('delete', 'pod', first, '-n', 'kube-system', '--wait');
    expect(await shown()).not.toBe(first);
    await kubectl('delete', 'deployment/my-scheduler', '-n', 'kube-system', '--timeout=60s');
  });

  it.runIf(helms.length > 0)('let Helm wait for what it installs, and for its hooks', async () => {
    const [[, binary = ''] = []] = helms;
    const helm = helmOf(binary, annex.kubeconfig, annex.dataDir);
    const wait = ['--create-namespace', '--wait', '--timeout', '60s'];
    const { code, text } = await helm('install', 'demo', chart, '--namespace', 'shop', ...wait);
    expect(code, text).toBe(0);
    expect(text).toContain('STATUS: deployed');
  });

  it('charge a quota', async () => {
    await create(`${core}/resourcequotas`, named('few', { spec: { hard: { 'count/configmaps': '5' } } }));
    await until(
      `${core}/resourcequotas`,
      'few',
      (one) => (statusOf(one, 'used') as JsonObject | undefined)?.['count/configmaps'] === '1',
    );
  });

  it('delete dependents in the foreground', async () => {
    await remove(`${apps}/deployments/web`, 'Foreground');
    await until(`${apps}/deployments`, 'web', isGone);
    expect(await podsOf('web')).toEqual([]);
    expect(await list(`${apps}/replicasets`)).toEqual([]);
  });

  it('empty a namespace that is deleted', async () => {
    await remove(core, 'Background');
    await until(namespaces, 'work', isGone);
    expect(await list(`${core}/pods`)).toEqual([]);
  });

  it('log no errors about responses', () => {
    const lines = running.flatMap((process) => process.lines);
    // Expected log lines of concurrent controllers: conflicting writes, writes into a namespace that is being deleted, reads of objects
    // that are not in the cache yet, claims that are about to be created or deleted, and quotas that are deleted with their namespace.
    const ordinary =
      /the object has been modified|is not as new as written version|because it is being terminated|pvc \S+ is being deleted|manifest file is empty|PostFilter.*status="not found"|quota work item" err="resourcequotas \S+ not found"/;
    const errors = lines.filter(
      (line) => /^[EF]\d{4} |^panic|reflector.*(failed|Warning)/.test(line) && !ordinary.test(line),
    );
    expect(errors).toEqual([]);
  });
});
