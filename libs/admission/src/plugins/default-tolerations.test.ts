import type { JsonObject } from '@annex/machinery';
import { expect, it } from 'vitest';
import { servedKinds } from '../served-kinds.fixture.ts';
import { defaultTolerationSeconds } from './default-tolerations.ts';

const kinds = servedKinds();
const createPod = (spec: JsonObject = {}) =>
  kinds.create('/api/v1/namespaces/ns/pods?dryRun=All', {
    metadata: { name: 'p' },
    spec: { containers: [{ name: 'c', image: 'i' }], ...spec },
  });

it('new pods tolerate unready and unreachable nodes for five minutes', async () => {
  const tolerations = ['not-ready', 'unreachable'].map((condition) => ({
    key: `node.kubernetes.io/${condition}`,
    operator: 'Exists',
    effect: 'NoExecute',
    tolerationSeconds: 300,
  }));
  expect((await createPod()).spec).toMatchObject({ tolerations });
  const all = { tolerations: [{ operator: 'Exists' }] };
  expect((await createPod(all)).spec).toMatchObject(all);
});

it('the time can be configured, for each condition', () => {
  const object = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' }, spec: {} };
  const plugin = defaultTolerationSeconds({ notReady: 10, unreachable: 20 });
  void plugin.mutate?.({ subresource: '', object } as never);
  expect(object.spec).toMatchObject({
    tolerations: [{ tolerationSeconds: 10 }, { tolerationSeconds: 20 }],
  });
});
