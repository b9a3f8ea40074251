import { setTimeout } from 'node:timers/promises';
import { definition } from '../objects.ts';
import type { Cost, GrownServer } from './grown-server.ts';
import { nameOf } from './stored-image.ts';

/** The measurements of one size, by the names of the rows. */
export type Point = Map<string, Cost | { mib: number }>;

const writers = 16;
const configMaps = '/api/v1/namespaces/default/configmaps';
const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

/** Runs an operation for each number below `count`, by sixteen workers. */
export async function forEach(count: number, operation: (i: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const work = async (): Promise<void> => {
    for (let i = next++; i < count; i = next++) await operation(i);
  };
  await Promise.all(Array.from({ length: writers }, work));
}

/** Resolves when the server has created its namespaces. */
async function withNamespaces({ api }: GrownServer): Promise<void> {
  while ((await api.send('GET', '/api/v1/namespaces/default')).status !== 200) await setTimeout(100);
}

/** Waits until a collection is empty, or a path is not found. */
async function gone(server: GrownServer, path: string): Promise<void> {
  for (;;) {
    const { status, body } = await server.api.send('GET', path);
    if (status === 404 || body.includes('"items":[]')) return;
    await setTimeout(100);
  }
}

/** Resolves when a new watch has sent all existing objects. */
async function initialEvents(server: GrownServer, count: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  let seen = 0;
  const end = await server.api.watch(`${configMaps}?watch=1`, () => {
    if (++seen === count) resolve();
  });
  await promise;
  end();
}

/** Reads of a store with so many objects. */
export async function measureObjects(server: GrownServer, count: number, isWhole: boolean): Promise<Point> {
  const point: Point = new Map();
  point.set('until ready', server.start);
  point.set('first page of 500: reads everything', await server.get(`${configMaps}?limit=500`));
  point.set('page of 500', await server.get(`${configMaps}?limit=500`));
  point.set('memory after the first page', { mib: server.memory });
  if (isWhole) {
    point.set('list of everything, the first one', await server.get(configMaps));
    point.set('list of everything, again', await server.get(configMaps));
    const initial = () => initialEvents(server, count);
    point.set('watch with the existing objects', await server.cost(initial));
  }
  point.set('by a label that 0.1 % have', await server.get(`${configMaps}?labelSelector=group%3D7`));
  const byName = `${configMaps}?fieldSelector=metadata.name%3D${nameOf(7)}`;
  point.set('by metadata.name', await server.get(byName));
  const version = /"resourceVersion":"(\d+)"/.exec(
    (await server.api.must('GET', `${configMaps}?limit=1`)).toString(),
  );
  const watchPath = `${configMaps}?watch=1&resourceVersion=${version?.[1] ?? ''}`;
  const opened = async () => (await server.api.watch(watchPath, () => undefined))();
  point.set('watch from now on', await server.cost(opened));
  point.set('memory', { mib: server.memory });
  return point;
}

/** Deletion of an owner and of a namespace, with so many objects in each. */
export async function measureDeletions(server: GrownServer): Promise<Point> {
  const point: Point = new Map();
  const owner = '/api/v1/namespaces/owned/configmaps';
  const collect = async () => {
    await server.api.must('DELETE', `${owner}/owner`);
    await gone(server, `${owner}?limit=1`);
  };
  point.set('garbage collection of dependents', await server.cost(collect));
  const full = '/api/v1/namespaces/full';
  const terminate = async () => {
    await server.api.must('DELETE', full);
    await gone(server, full);
  };
  point.set('deletion of a namespace', await server.cost(terminate));
  return point;
}

/** So many definitions, in groups of a hundred. */
export async function measureDefinitions(server: GrownServer, count: number): Promise<Point> {
  const point: Point = new Map();
  const groupOf = (i: number): string => `g${Math.floor(i / 100)}.growth.annex.example`;
  const created = () =>
    forEach(count, (i) => server.api.must('POST', definitions, definition(groupOf(i), `kind${i}s`)));
  const served = () =>
    forEach(count, async (i) => {
      const path = `/apis/${groupOf(i)}/v1/namespaces/default/kind${i}s?limit=1`;
      while ((await server.api.send('GET', path)).status !== 200) await setTimeout(20);
    });
  point.set('created and served', await server.cost(() => created().then(served)));
  point.set('memory then', { mib: server.memory });
  point.set('index of /openapi/v3', await server.get('/openapi/v3'));
  const v2 = async () => {
    while ((await server.api.send('GET', '/openapi/v2')).status !== 200) await setTimeout(500);
  };
  point.set('/openapi/v2', await server.cost(v2));
  return point;
}

/** So many watches of one kind, 250 on each connection. */
export async function measureWatches(server: GrownServer, count: number): Promise<Point> {
  const point: Point = new Map();
  await withNamespaces(server);
  await server.api.must('POST', configMaps, JSON.stringify({ metadata: { name: 'watched' } }));
  const before = server.memory;
  let waiting = 0;
  let all = Promise.withResolvers<void>();
  const onEvent = (): void => {
    if (--waiting === 0) all.resolve();
  };
  const version = /"resourceVersion":"(\d+)"/.exec(
    (await server.api.must('GET', `${configMaps}?limit=1`)).toString(),
  );
  const path = `${configMaps}?watch=1&resourceVersion=${version?.[1] ?? ''}`;
  const opening = server.api.watchMany(path, count, onEvent);
  point.set('opened', await server.cost(() => opening));
  point.set('memory of the watches', { mib: server.memory - before });
  const event = async (value: number): Promise<void> => {
    [waiting, all] = [count, Promise.withResolvers<void>()];
    const patch = JSON.stringify({ data: { value: String(value) } });
    await server.api.must('PATCH', `${configMaps}/watched`, patch, 'application/merge-patch+json');
    await all.promise;
  };
  await event(1);
  point.set('an event for all', await server.cost(() => event(2)));
  (await opening)();
  return point;
}
