import type { JsonObject } from '@annex/machinery';
import { beforeAll, expect, it } from 'vitest';
import { servedKinds } from '../served-kinds.fixture.ts';

const kinds = servedKinds();
const createPod = (spec: JsonObject = {}) =>
  kinds.create('/api/v1/namespaces/ns/pods?dryRun=All', {
    metadata: { name: 'p' },
    spec: { containers: [{ name: 'c', image: 'i' }], ...spec },
  });

const critical = 'system-node-critical';
beforeAll(async () => {
  const path = '/apis/scheduling.k8s.io/v1/priorityclasses';
  await kinds.create(path, { metadata: { name: critical }, value: 2_000_001_000 });
});

it('new pods get the priority of their class', async () => {
  expect((await createPod()).spec).toMatchObject({ priority: 0, preemptionPolicy: 'PreemptLowerPriority' });
  expect((await createPod({ priorityClassName: critical })).spec).toMatchObject({ priority: 2000001000 });
});

it.each<[JsonObject, string]>([
  [{ priorityClassName: 'none' }, 'no PriorityClass with name none was found'],
  [
    { priority: 5 },
    'the integer value of priority (5) must not be provided in pod spec; priority admission controller computed 0 from the given PriorityClass name',
  ],
])('new pods are refused with %j', async (spec, why) => {
  expect((await createPod(spec)).message).toBe(`pods "p" is forbidden: ${why}`);
});
