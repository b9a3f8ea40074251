import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { serveCoreApi, type ServedCoreApi } from './served.fixture.ts';

let server: ServedCoreApi;
beforeAll(async () => {
  server = await serveCoreApi();
});
afterAll(() => server.stop());

const configMaps = '/api/v1/namespaces/default/configmaps';

/** Lets another request through just before the next creation reaches the store. */
function overtakenBy(other: () => Promise<unknown>): void {
  const { store } = server.deps;
  const create = store.create.bind(store);
  vi.spyOn(store, 'create').mockImplementationOnce(async (...args) => {
    await other();
    return await create(...args);
  });
}

const apply = (name: string, manager: string) =>
  server.request(
    'PATCH',
    `${configMaps}/${name}?fieldManager=${manager}`,
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { [manager]: 'x' } },
    'application/apply-patch+yaml',
  );

it('an apply changes an object that was created concurrently', async () => {
  overtakenBy(() => apply('shared', 'faster'));
  const { code, body } = await apply('shared', 'slower');
  expect(code).toBe(200);
  expect(body.data).toEqual({ faster: 'x', slower: 'x' });
});

it('a create is rejected if the object was created concurrently', async () => {
  const create = () => server.request('POST', configMaps, { metadata: { name: 'once' } });
  overtakenBy(create);
  const { code, message } = await create();
  expect([code, message]).toEqual([409, 'configmaps "once" already exists']);
});

it('an update that may create handles a concurrently created object as any update', async () => {
  const lease = '/apis/coordination.k8s.io/v1/namespaces/default/leases/shared';
  const put = () => server.request('PUT', lease, { metadata: { name: 'shared' } });
  overtakenBy(put);
  const { code, message } = await put();
  expect([code, message]).toEqual([
    422,
    'leases.coordination.k8s.io "shared" is invalid: metadata.resourceVersion: Invalid value: 0: must be specified for an update',
  ]);
});
