import { Client, type ClientResponse, loadKubeconfig } from '@annex/client';
import type { KubeObject } from '@annex/machinery';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Runner } from '../runners/runner.ts';
import { startSingle } from '../runners/single-runner.ts';
import { canMount, type SmallDisk, smallDisk } from './small-disk.ts';

const collection = '/api/v1/namespaces/default/configmaps';
const value = 'x'.repeat(50_000);

/** kube-apiserver's response if etcd rejects a write beyond its quota. */
const noSpace = {
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Failure',
  message: 'etcdserver: mvcc: database space exceeded',
  code: 500,
};

describe.runIf(canMount())('on a disk that is full', () => {
  let disk: SmallDisk;
  let annex: Runner;
  let client: Client;
  /** Objects whose creation the server acknowledged. */
  const present = new Set<string>();
  const seen = new Map<string, string>();
  const stopWatch = new AbortController();
  let onEvent = () => {};

  const create = (name: string): Promise<ClientResponse> =>
    client.send({ method: 'POST', path: collection, body: { metadata: { name }, data: { value } } });
  const names = async () => {
    const { items } = await client.json<{ items: KubeObject[] }>({ path: collection });
    return items.map(({ metadata }) => metadata.name!).filter((name) => name.startsWith('fill-'));
  };
  const follow = async () => {
    for await (const { type, object } of client.watch<KubeObject>(collection, { signal: stopWatch.signal })) {
      seen.set(object.metadata.name!, type);
      onEvent();
    }
  };
  const sees = (name: string, type: string) =>
    new Promise<void>((resolve) => {
      onEvent = () => {
        if (seen.get(name) === type) resolve();
      };
      onEvent();
    });

  beforeAll(async () => {
    disk = smallDisk(4);
    annex = await startSingle({ parent: disk.path, controllers: '*' });
    client = new Client(await loadKubeconfig(annex.kubeconfig));
  });
  afterAll(async () => {
    client.close();
    await annex.stop();
    disk[Symbol.dispose]();
  });

  it('writes are rejected as by etcd without space, and watches receive the successful ones', async () => {
    const following = follow();
    const refused: ClientResponse[] = [];
    await Promise.all(
      Array.from({ length: 8 }, async (_, writer) => {
        for (let i = 0; ; i++) {
          const name = `fill-${writer}-${i}`;
          const response = await create(name);
          if (response.status !== 201) return void refused.push(response);
          present.add(name);
        }
      }),
    );
    expect(refused.map(({ body }) => JSON.parse(body.toString()) as unknown)).toEqual(
      refused.map(() => noSpace),
    );
    for (const name of present) await sees(name, 'ADDED');
    stopWatch.abort();
    await following;
    expect(new Set(await names())).toEqual(present);
    expect([...seen.keys()].filter((name) => name.startsWith('fill-')).sort()).toEqual([...present].sort());
  });

  it('objects can be deleted', async () => {
    const [name = ''] = present;
    expect((await client.send({ method: 'DELETE', path: `${collection}/${name}` })).status).toBe(200);
    present.delete(name);
    expect(new Set(await names())).toEqual(present);
  });

  it('a server that was killed starts again, with everything that was acknowledged', async () => {
    for (let i = 0; (await create(`fill-rest-${i}`)).status === 201; i++) present.add(`fill-rest-${i}`);
    await annex.restart('SIGKILL');
    expect(new Set(await names())).toEqual(present);
    expect(JSON.parse((await create('fill-more')).body.toString())).toEqual(noSpace);
    expect((await client.send({ path: '/readyz' })).status).toBe(200);
  });

  it('the server continues when there is space again', async () => {
    disk.resize(8);
    const { status, body } = await create('fill-more');
    expect([status, JSON.parse(body.toString())]).toMatchObject([201, { metadata: { name: 'fill-more' } }]);
    present.add('fill-more');
    await annex.restart('SIGKILL');
    expect(new Set(await names())).toEqual(present);
  });
});
