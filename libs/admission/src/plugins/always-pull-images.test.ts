import type { JsonObject } from '@annex/machinery';
import { expect, it } from 'vitest';
import { servedKinds } from '../served-kinds.fixture.ts';

const { create, request } = servedKinds({ enabled: ['AlwaysPullImages'] });
const pods = '/api/v1/namespaces/ns/pods';

it('all images of a new Pod are always pulled', async () => {
  const created = await create(pods, {
    metadata: { name: 'p' },
    spec: {
      initContainers: [{ name: 'i', image: 'i', imagePullPolicy: 'Never' }],
      containers: [{ name: 'c', image: 'c:1' }],
      volumes: [{ name: 'v', image: { reference: 'r', pullPolicy: 'IfNotPresent' } }],
    },
  });
  expect(created.spec).toMatchObject({
    initContainers: [{ imagePullPolicy: 'Always' }],
    containers: [{ imagePullPolicy: 'Always' }],
    volumes: [{ image: { pullPolicy: 'Always' } }],
  });
});

it.each<[what: string, patch: JsonObject, status: number]>([
  ['an update with a new image', { spec: { containers: [{ name: 'c', image: 'c:2' }] } }, 200],
  ['an update without one', { metadata: { labels: { a: 'b' } } }, 200],
])('%s is accepted', async (_, patch, status) => {
  await create(pods, { metadata: { name: 'q' }, spec: { containers: [{ name: 'c', image: 'c:1' }] } });
  const updated = await request('PATCH', `${pods}/q`, patch, 'application/strategic-merge-patch+json');
  expect([updated.code, updated.body]).toMatchObject([
    status,
    { spec: { containers: [{ imagePullPolicy: 'Always' }] } },
  ]);
});
