import type { JsonObject } from '@annex/machinery';
import { expect, it } from 'vitest';
import { servedKinds } from '../served-kinds.fixture.ts';

const kinds = servedKinds();
const createPod = (spec: JsonObject = {}) =>
  kinds.create('/api/v1/namespaces/ns/pods?dryRun=All', {
    metadata: { name: 'p' },
    spec: { containers: [{ name: 'c', image: 'i' }], ...spec },
  });

it.each<[JsonObject, string]>([
  [{ runtimeClassName: 'none' }, 'RuntimeClass "none" not found'],
  [{ overhead: { cpu: '1' } }, 'Pod Overhead set without corresponding RuntimeClass defined Overhead'],
])('new pods are refused with %j', async (spec, why) => {
  expect((await createPod(spec)).message).toBe(`pods "p" is forbidden: pod rejected: ${why}`);
});
