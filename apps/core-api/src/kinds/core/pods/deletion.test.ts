import type { KubeObject } from '@annex/machinery';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serveCoreApi, type ServedCoreApi } from '../../../served.fixture.ts';

let server: ServedCoreApi;
beforeAll(async () => {
  server = await serveCoreApi();
});
afterAll(() => server.stop());

const pods = '/api/v1/namespaces/default/pods';
const create = (name: string, spec: object = {}) =>
  server.request('POST', pods, {
    metadata: { name },
    spec: { containers: [{ name: 'c', image: 'i' }], ...spec },
  });
const bind = (name: string) =>
  server.request('POST', `${pods}/${name}/binding`, {
    metadata: { name },
    target: { kind: 'Node', name: 'n' },
  });
const remove = async (name: string, query = '') =>
  (await server.request('DELETE', `${pods}/${name}${query}`)).body;
const codeOf = async (name: string) => (await server.request('GET', `${pods}/${name}`)).code;
const graceOf = ({ metadata }: Pick<KubeObject, 'metadata'>) => metadata.deletionGracePeriodSeconds;

describe('a pod', () => {
  it('without a node is deleted immediately, and is in the response', async () => {
    await create('unbound');
    const pod = await remove('unbound');
    expect(pod).toMatchObject({ kind: 'Pod', metadata: { deletionGracePeriodSeconds: 0, generation: 2 } });
    expect(await codeOf('unbound')).toBe(404);
  });

  it('on a node exists until it is deleted without a grace period', async () => {
    await create('bound');
    await bind('bound');
    expect(graceOf(await remove('bound'))).toBe(30);
    expect(graceOf(await remove('bound', '?gracePeriodSeconds=60'))).toBe(30);
    expect(graceOf(await remove('bound', '?gracePeriodSeconds=10'))).toBe(10);
    const labelled = await server.request(
      'PATCH',
      `${pods}/bound`,
      { metadata: { labels: { a: 'b' } } },
      'application/merge-patch+json',
    );
    expect(labelled.code).toBe(200);
    expect(await codeOf('bound')).toBe(200);
    await remove('bound', '?gracePeriodSeconds=0');
    expect(await codeOf('bound')).toBe(404);
  });

  it('has the grace period of its spec, and none if it has ended', async () => {
    await create('patient', { terminationGracePeriodSeconds: 5 });
    await bind('patient');
    expect(graceOf(await remove('patient'))).toBe(5);
    await create('ended');
    await bind('ended');
    const failed = { status: { phase: 'Failed' } };
    await server.request('PATCH', `${pods}/ended/status`, failed, 'application/merge-patch+json');
    await remove('ended');
    expect(await codeOf('ended')).toBe(404);
  });

  it('that does not exist cannot be evicted by another name', async () => {
    const named = (name: string) =>
      server.request('POST', `${pods}/absent/eviction`, { metadata: { name } }).then(({ code }) => code);
    expect([await named('other'), await named('absent')]).toEqual([400, 404]);
  });

  it('that is evicted has a grace period too', async () => {
    await create('evicted');
    await bind('evicted');
    const eviction = { metadata: { name: 'evicted' }, deleteOptions: { gracePeriodSeconds: 3 } };
    expect((await server.request('POST', `${pods}/evicted/eviction`, eviction)).code).toBe(201);
    const { body } = await server.request('GET', `${pods}/evicted`);
    expect(graceOf(body)).toBe(3);
  });
});
