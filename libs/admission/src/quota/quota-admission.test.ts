import type { KubeObject } from '@annex/machinery';
import { expect, it } from 'vitest';
import { servedKinds } from '../served-kinds.fixture.ts';

const quotas = '/api/v1/namespaces/limited/resourcequotas';
const configMaps = '/api/v1/namespaces/limited/configmaps';
const merge = 'application/merge-patch+json';

const { request } = servedKinds({ namespaces: [{ name: 'limited' }] });

it('concurrent writes use a quota completely and never exceed it', async () => {
  const hard = { configmaps: '7' };
  await request('POST', quotas, { metadata: { name: 'q' }, spec: { hard } });
  const status = { hard, used: { configmaps: '0' } };
  await request('PATCH', `${quotas}/q/status`, { status }, merge);
  const responses = await Promise.all(
    Array.from({ length: 20 }, (_, i) => request('POST', configMaps, { metadata: { name: `c-${i}` } })),
  );
  expect(responses.filter(({ code }) => code === 201)).toHaveLength(7);
  expect(responses.filter(({ code }) => code === 403)).toHaveLength(13);
  const { body } = await request('GET', `${quotas}/q`);
  expect(body.status).toEqual({ hard, used: { configmaps: '7' } });
  const charged = (body.metadata.managedFields ?? []).find(({ manager }) => manager === 'kube-apiserver');
  expect(charged).toMatchObject({ operation: 'Update', subresource: 'status' });
});

it('a dry run is checked and not charged', async () => {
  const path = '/api/v1/namespaces/limited/secrets';
  const hard = { secrets: '1' };
  await request('POST', quotas, { metadata: { name: 'dry' }, spec: { hard } });
  const status = { hard, used: { secrets: '0' } };
  await request('PATCH', `${quotas}/dry/status`, { status }, merge);
  const secret: KubeObject = { metadata: { name: 's' } };
  expect((await request('POST', `${path}?dryRun=All`, secret)).code).toBe(201);
  expect((await request('POST', path, secret)).code).toBe(201);
  expect((await request('POST', `${path}?dryRun=All`, secret)).message).toBe(
    'secrets "s" is forbidden: exceeded quota: dry, requested: secrets=1, used: secrets=1, limited: secrets=1',
  );
});
