import type { JsonObject } from '@annex/machinery';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serveCoreApi, type ServedCoreApi } from './served.fixture.ts';

let server: ServedCoreApi;
beforeAll(async () => {
  server = await serveCoreApi();
});
afterAll(() => server.stop());

const namespace = '/api/v1/namespaces/default';
const dryPods = `${namespace}/pods?dryRun=All`;
const container = { name: 'c', image: 'i' };
const pod = (spec: object = {}) => ({ metadata: { name: 'p' }, spec: { containers: [container], ...spec } });
const sized = (resources: object) => pod({ containers: [{ ...container, resources }] });
const created = async (path: string, object: object) => (await server.request('POST', path, object)).body;
const specOf = async (object: object) => (await created(dryPods, object)).spec as JsonObject;
const messageOf = async (object: object) => (await created(dryPods, object)).message;

describe('new pods', () => {
  it('tolerate nodes in trouble for five minutes', async () => {
    const [first, second] = (await specOf(pod())).tolerations as JsonObject[];
    expect(first).toEqual({
      key: 'node.kubernetes.io/not-ready',
      operator: 'Exists',
      effect: 'NoExecute',
      tolerationSeconds: 300,
    });
    expect(second?.key).toBe('node.kubernetes.io/unreachable');
    const all = { tolerations: [{ operator: 'Exists' }] };
    expect((await specOf(pod(all))).tolerations).toEqual(all.tolerations);
  });

  it('get the priority of their class', async () => {
    expect(await specOf(pod())).toMatchObject({ priority: 0, preemptionPolicy: 'PreemptLowerPriority' });
    const critical = pod({ priorityClassName: 'system-node-critical' });
    expect(await specOf(critical)).toMatchObject({ priority: 2000001000 });
  });

  it.each([
    [{ priorityClassName: 'none' }, 'no PriorityClass with name none was found'],
    [
      { priority: 5 },
      'the integer value of priority (5) must not be provided in pod spec; priority admission controller computed 0 from the given PriorityClass name',
    ],
    [{ runtimeClassName: 'none' }, 'pod rejected: RuntimeClass "none" not found'],
    [
      { overhead: { cpu: '1' } },
      'pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead',
    ],
  ])('are refused with %j', async (spec, why) => {
    expect(await messageOf(pod(spec))).toBe(`pods "p" is forbidden: ${why}`);
  });
});

describe('LimitRanges', () => {
  beforeAll(async () => {
    await created(`${namespace}/limitranges`, {
      metadata: { name: 'l' },
      spec: {
        limits: [
          { type: 'Container', max: { cpu: '1' }, min: { cpu: '100m' }, default: { cpu: '500m' } },
          { type: 'PersistentVolumeClaim', max: { storage: '2Gi' } },
        ],
      },
    });
  });

  it('fill in what containers do not say, and note it', async () => {
    const { spec, metadata } = await created(dryPods, pod());
    expect((spec as JsonObject).containers).toMatchObject([
      { resources: { limits: { cpu: '500m' }, requests: { cpu: '500m' } } },
    ]);
    expect((metadata as JsonObject).annotations).toEqual({
      'kubernetes.io/limit-ranger':
        'LimitRanger plugin set: cpu request for container c; cpu limit for container c',
    });
  });

  it.each([
    [{ limits: { cpu: '2' } }, 'maximum cpu usage per Container is 1, but limit is 2'],
    [{ requests: { cpu: '50m' } }, 'minimum cpu usage per Container is 100m, but request is 50m'],
  ])('refuse %j', async (resources, why) => {
    expect(await messageOf(sized(resources))).toContain(why);
  });

  it('limit claims', async () => {
    const claim = {
      metadata: { name: 'c' },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '3Gi' } } },
    };
    expect((await created(`${namespace}/persistentvolumeclaims`, claim)).message).toBe(
      'persistentvolumeclaims "c" is forbidden: maximum storage usage per PersistentVolumeClaim is 2Gi, but request is 3Gi',
    );
  });
});

it('volumes, claims and nodes get what keeps them until they are ready or unused', async () => {
  const volume = {
    metadata: { name: 'v' },
    spec: { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/x' } },
  };
  expect((await created('/api/v1/persistentvolumes', volume)).metadata).toMatchObject({
    finalizers: ['kubernetes.io/pv-protection'],
  });
  expect((await created('/api/v1/nodes', { metadata: { name: 'n' } })).spec).toEqual({
    taints: [{ key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' }],
  });
});

it('claims and Ingresses without a class get the default one', async () => {
  const annotations = (kind: string) => ({ [`${kind}.kubernetes.io/is-default-class`]: 'true' });
  await created('/apis/storage.k8s.io/v1/storageclasses', {
    metadata: { name: 'fast', annotations: annotations('storageclass') },
    provisioner: 'a.b/c',
  });
  await created('/apis/networking.k8s.io/v1/ingressclasses', {
    metadata: { name: 'front', annotations: annotations('ingressclass') },
    spec: { controller: 'a.b/c' },
  });
  const claim = {
    metadata: { name: 'd' },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
  };
  expect((await created(`${namespace}/persistentvolumeclaims`, claim)).spec).toMatchObject({
    storageClassName: 'fast',
  });
  const ingress = {
    metadata: { name: 'i' },
    spec: { defaultBackend: { service: { name: 'x', port: { number: 80 } } } },
  };
  expect(
    (await created('/apis/networking.k8s.io/v1/namespaces/default/ingresses', ingress)).spec,
  ).toMatchObject({ ingressClassName: 'front' });
});
