import { setTimeout } from 'node:timers/promises';
import { residentMiB } from '../process-facts.ts';
import { summarize } from '../statistics.ts';
import { accessReview } from '../objects.ts';
import { type TableClient, listed, widgets, workers } from './client.ts';
import { object } from './table-objects.ts';

/** A row of the table: work of a fixed extent, in slices that alternate between the servers. */
export interface TableRow {
  name: string;
  unit: 'per s' | 'ms' | 's' | 'MiB';
  /** How many times better Annex has to be. */
  goal: number;
  slices: number;
  /** Operations of a slice, for the CPU time of one. */
  operations?: number;
  /** A bare server of Node and the store can do the same, without the work of an API server. */
  bare?: boolean;
  /** No client is connected while it runs. */
  isIdle?: boolean;
  /** Creates what the row needs before its first slice. */
  prepare?(client: TableClient): Promise<void>;
  /** The same work before the first slice, not counted: V8 compiles what has run often, kube-apiserver is compiled. */
  warmUp?(client: TableClient): Promise<unknown>;
  /** Runs a slice; resolves to its value in the unit. */
  run(client: TableClient): Promise<number>;
}

const merge = 'application/merge-patch+json';
const apply = 'application/apply-patch+yaml';
const many = 1000;

const objects = (client: TableClient): Promise<void> => client.objects();

type Operation = (client: TableClient, worker: number) => Promise<unknown>;

/** How often a row of operations runs: the operations before the first slice, the slices, and the operations of each. */
type Extent = [warm: number, slices: number, operations: number];

/** A row of operations by all workers: operations per second. */
const rate = (
  name: string,
  goal: number,
  [warm, slices, operations]: Extent,
  operation: Operation,
): TableRow => ({
  name,
  unit: 'per s',
  goal,
  slices,
  operations,
  prepare: objects,
  warmUp: (client) => client.repeat(warm, (worker) => operation(client, worker)),
  run: async (client) => {
    const ms = await client.repeat(operations, (worker) => operation(client, worker));
    return (operations * 1000) / ms;
  },
});

const patch =
  (suffix: string, type: string, body: (client: TableClient, worker: number) => string): Operation =>
  (client, worker) =>
    client.must(
      {
        method: 'PATCH',
        path: `${client.path(widgets)}/name-${worker}${suffix}`,
        type,
        body: body(client, worker),
      },
      worker,
    );

const get =
  (path: (client: TableClient, worker: number) => string): Operation =>
  (client, worker) =>
    client.must({ method: 'GET', path: path(client, worker) }, worker);

const write = patch('', merge, (client) => `{"spec":{"size":${client.next() + 1}}}`);

/** The median time from a write to its event. */
const watchOne: TableRow = {
  name: 'event to one watcher, median',
  unit: 'ms',
  goal: 5,
  slices: 4,
  operations: 100,
  bare: true,
  prepare: objects,
  warmUp: (client) => client.repeat(500, () => write(client, 0), 1),
  run: async (client) => {
    const values: number[] = [];
    let sentAt = 0;
    let seen = Promise.withResolvers<void>();
    using watches = await client.watch(widgets, 1, () => {
      values.push(performance.now() - sentAt);
      seen.resolve();
    });
    for (let i = 0; i < 100; i++) {
      seen = Promise.withResolvers();
      sentAt = performance.now();
      await write(client, 0);
      await Promise.race([seen.promise, watches.failed]);
    }
    return summarize(values).median;
  },
};

const manyEvents = 20_000;

const watchMany: TableRow = {
  name: 'events to 100 watchers',
  unit: 'per s',
  goal: 5,
  slices: 4,
  operations: manyEvents,
  bare: true,
  prepare: objects,
  warmUp: sendManyEvents,
  run: async (client) => (manyEvents * 1000) / (await sendManyEvents(client)),
};

/** Resolves to the milliseconds until 100 watchers have the events of 200 writes. */
async function sendManyEvents(client: TableClient): Promise<number> {
  let left = manyEvents;
  const all = Promise.withResolvers<void>();
  using watches = await client.watch(widgets, 100, () => {
    if (--left === 0) all.resolve();
  });
  const begin = performance.now();
  await client.repeat(manyEvents / 100, (worker) => write(client, worker));
  await Promise.race([all.promise, watches.failed]);
  return performance.now() - begin;
}

const definitionServed: TableRow = {
  name: 'definition to first served request, median',
  unit: 'ms',
  goal: 4,
  slices: 4,
  operations: 5,
  warmUp: (client) => defineAndServe(client, 100),
  run: async (client) => summarize(await defineAndServe(client, 5)).median,
};

/** Creates definitions one after the other; resolves to the milliseconds until the objects of each are served. */
async function defineAndServe(client: TableClient, count: number): Promise<number[]> {
  const values: number[] = [];
  for (let i = 0; i < count; i++) {
    const plural = `early${client.next()}s`;
    const begin = performance.now();
    await client.define(plural);
    await client.served(plural);
    values.push(performance.now() - begin);
  }
  return values;
}

const manyDefinitions: TableRow = {
  name: `${many} definitions created and served`,
  unit: 's',
  goal: 20,
  slices: 1,
  run: async (client) => {
    const names = (i: number): [string, string] => [`kind${i}s`, `g${i % 10}.${client.group}`];
    const created = await client.repeat(many, (worker, i) => client.define(...names(i), worker));
    const served = await client.repeat(many, (worker, i) => client.served(...names(i), worker));
    return (created + served) / 1000;
  },
};

const openApi: TableRow = {
  name: '/openapi/v2 then',
  unit: 's',
  goal: 6,
  slices: 1,
  run: async (client) => {
    const begin = performance.now();
    // kube-apiserver gives up after a minute if the machine is busy.
    while ((await client.try({ method: 'GET', path: '/openapi/v2' })).status !== 200);
    return (performance.now() - begin) / 1000;
  },
};

/** Seconds after which a server that started is idle, and has returned the memory of its start. */
const settleSeconds = 20;

const memory = (name: string, goal: number, afterSeconds = 0): TableRow => ({
  name,
  unit: 'MiB',
  goal,
  slices: 1,
  run: async ({ server }) => {
    await setTimeout(afterSeconds * 1000);
    return residentMiB(server.pids);
  },
});

const pageOf500 = '?limit=500';

const onBareToo = (row: TableRow): TableRow => ({ ...row, bare: true });

/** The rows in the order of execution: later rows use the objects of earlier ones. */
export const tableRows: readonly TableRow[] = [
  { ...memory('memory idle', 4, settleSeconds), isIdle: true },
  {
    ...onBareToo(rate('create', 6, [0, 5, listed / 5], (client, worker) => client.create(worker))),
    prepare: (client) => client.kind(),
    warmUp: (client) => client.createOthers(15_000),
  },
  onBareToo(
    rate(
      'get',
      6,
      [10_000, 5, 2000],
      get((client, worker) => `${client.path(widgets)}/name-${worker}`),
    ),
  ),
  onBareToo(rate('merge patch', 6, [10_000, 4, 500], write)),
  onBareToo(
    rate(
      'status patch',
      6,
      [5000, 4, 500],
      patch('/status', merge, (client) => `{"status":{"phase":"Ready","seen":${client.next()}}}`),
    ),
  ),
  onBareToo(
    rate(
      'apply',
      6,
      [10_000, 4, 500],
      patch('?fieldManager=bench&force=true', apply, (client, worker) =>
        object(client.group, widgets, `name-${worker}`, client.next()),
      ),
    ),
  ),
  rate(
    `list of ${listed}`,
    10,
    [workers, 3, workers],
    get((client) => client.path(widgets)),
  ),
  rate(
    'page of 500',
    10,
    [200, 4, 48],
    get((client) => client.path(widgets) + pageOf500),
  ),
  rate(
    'list by label, 500',
    10,
    [200, 4, 48],
    get((client) => `${client.path(widgets)}?labelSelector=part%3Dpart-3`),
  ),
  watchOne,
  watchMany,
  onBareToo(
    rate('access review', 5, [10_000, 4, 2000], (client, worker) =>
      client.must(
        { method: 'POST', path: '/apis/authorization.k8s.io/v1/subjectaccessreviews', body: accessReview },
        worker,
      ),
    ),
  ),
  definitionServed,
  manyDefinitions,
  openApi,
  memory('memory after all of that', 8),
];
