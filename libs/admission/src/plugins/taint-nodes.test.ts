import { expect, it } from 'vitest';
import { servedKinds } from '../served-kinds.fixture.ts';

const { create } = servedKinds();

it('new nodes get a taint until they are ready', async () => {
  expect((await create('/api/v1/nodes', { metadata: { name: 'n' } })).spec).toEqual({
    taints: [{ key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' }],
  });
});
