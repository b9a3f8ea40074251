import type { JsonObject } from '@annex/machinery';
import { beforeAll, expect, it } from 'vitest';
import { servedKinds } from '../served-kinds.fixture.ts';

const { create } = servedKinds();
const namespace = '/api/v1/namespaces/ns';
const createPod = (container: JsonObject = {}) =>
  create(`${namespace}/pods?dryRun=All`, {
    metadata: { name: 'p' },
    spec: { containers: [{ name: 'c', image: 'i', ...container }] },
  });

beforeAll(async () => {
  await create(`${namespace}/limitranges`, {
    metadata: { name: 'l' },
    spec: {
      limits: [
        {
          type: 'Container',
          max: { cpu: '1' },
          min: { cpu: '100m' },
          default: { cpu: '500m' },
          defaultRequest: { cpu: '500m' },
        },
        { type: 'PersistentVolumeClaim', max: { storage: '2Gi' } },
      ],
    },
  });
});

it('LimitRanges set absent requests and limits, and record it in an annotation', async () => {
  const { spec, metadata } = await createPod();
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
])('LimitRanges refuse %j', async (resources, why) => {
  expect((await createPod({ resources })).message).toContain(why);
});

it('LimitRanges limit claims', async () => {
  const claim = {
    metadata: { name: 'c' },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '3Gi' } } },
  };
  expect((await create(`${namespace}/persistentvolumeclaims`, claim)).message).toBe(
    'persistentvolumeclaims "c" is forbidden: maximum storage usage per PersistentVolumeClaim is 2Gi, but request is 3Gi',
  );
});
