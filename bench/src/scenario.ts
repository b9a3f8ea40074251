import type { Buffer } from 'node:buffer';
import { join } from 'node:path';
import { tempFolder } from '@annex/testkit';
import { manyDefinitions, register } from './definitions.ts';
import { fairness } from './flood.ts';
import { type Measured, load, until } from './load.ts';
import { accessReview } from './objects.ts';
import { residentMiB } from './process-facts.ts';
import { shares } from './shares.ts';
import { type Target, listLength, startAnnex } from './target.ts';

/** The duration of a row. */
export interface Extent {
  /** Seconds of load in a round. */
  seconds: number;
  /** Starts counting CPU time; preparations must be complete. */
  begin(): void;
}

/** A measurement. */
export interface Row {
  name: string;
  measures: string;
  unit: 'ms' | 'MiB' | '%';
  /** The number of rounds, if fewer than the default are sufficient. */
  rounds?: number;
  /** Returns why a target cannot run the row; `undefined` if it can. */
  skip?: (target: Target) => string | undefined | Promise<string | undefined>;
  /** Creates the objects of the row before the measurement. */
  prepare?: (target: Target) => Promise<unknown>;
  run(target: Target, extent: Extent): Promise<Measured>;
}

type Operation = (target: Target, worker: number) => Promise<unknown>;

/** Returns rows for load by one caller and by sixteen concurrent callers: latency and throughput. */
const loaded = (name: string, measures: string, operation: Operation, skip?: Row['skip']): Row[] =>
  [1, 16].map((workers) => ({
    name: `${name} by ${workers}`,
    measures,
    unit: 'ms',
    ...(skip ? { skip } : {}),
    // Compiles schemas and opens connections before the measurement.
    prepare: (target) =>
      Promise.all(Array.from({ length: workers }, (_, worker) => operation(target, worker))),
    run: (target, { seconds }) => load(workers, seconds, (worker) => operation(target, worker)),
  }));

const onlyAnnex = ({ name }: Target): string | undefined =>
  name === 'annex' ? undefined : 'the bench does not start the peer';

const withProcess = ({ pids }: Target): string | undefined =>
  pids.length > 0 ? undefined : 'needs --peer-pid';

const withReviews = async ({ api }: Target): Promise<string | undefined> =>
  (await api.send('GET', '/apis/authorization.k8s.io/v1')).status === 200
    ? undefined
    : 'authorization.k8s.io is not served';

const merge = 'application/merge-patch+json';
const apply = 'application/apply-patch+yaml';

/** Resolves to the path of the object that a worker changes: one each, to avoid conflicts. */
const own = async (target: Target, worker: number): Promise<string> =>
  `${await target.collection('widgets', 16)}/name-${worker}`;

const versions = new Map<string, string>();

/** PUT of the status requires the resourceVersion of the last response. */
async function updateStatus(target: Target, worker: number): Promise<void> {
  const path = await own(target, worker);
  const key = `${target.name} ${path}`;
  const read = (body: Buffer): string => /"resourceVersion":"(\d+)"/.exec(body.toString())?.[1] ?? '';
  const known = versions.get(key) ?? read(await target.api.must('GET', path));
  const body = JSON.parse(target.object('widgets', `name-${worker}`, 1)) as { metadata: object };
  const status = { phase: 'Ready', seen: target.next() };
  const sent = JSON.stringify({ ...body, metadata: { ...body.metadata, resourceVersion: known }, status });
  const response = await target.api.send('PUT', `${path}/status`, sent);
  // Another row has changed the object.
  if (response.status === 409) return void versions.delete(key);
  if (response.status !== 200)
    throw new Error(`status of ${path}: ${response.status} ${response.body.toString()}`);
  versions.set(key, read(response.body));
}

/** Opens watches that call back for each event from now on. Resolves to a function that ends them. */
type OpenWatches = (target: Target, path: string, onEvent: () => void) => Promise<() => void>;

/** Opens each watch on a separate connection. */
const apart =
  (watchers: number): OpenWatches =>
  async (target, path, onEvent) => {
    const ends = await Promise.all(Array.from({ length: watchers }, () => target.api.watch(path, onEvent)));
    return () => {
      for (const end of ends) end();
    };
  };

const manyWatchers = 5000;

/** Opens 250 watches on each connection, as the informers of many clients. */
const together: OpenWatches = (target, path, onEvent) => target.api.watchMany(path, manyWatchers, onEvent);

/** Resolves to the path of a watch from now on. */
async function watchPath(target: Target): Promise<string> {
  const path = await target.collection('beacons', 1);
  const list = await target.api.must('GET', `${path}?limit=1`);
  const version = /"resourceVersion":"(\d+)"[^{}]*}}?$/.exec(list.toString().trim())?.[1] ?? '';
  return `${path}?watch=1${version === '' ? '' : `&resourceVersion=${version}`}`;
}

/** Measures the time from a write to its event in each watch, one write at a time. */
const watched = (watchers: number, how: string, open: OpenWatches): Row => ({
  name: `watch by ${watchers}`,
  measures: `from sending a merge patch until each watcher has the event, ${how}`,
  unit: 'ms',
  prepare: (target) => target.collection('beacons', 1),
  run: async (target, { seconds, begin }) => {
    const path = await target.collection('beacons', 1);
    const values: number[] = [];
    let sentAt = 0;
    let waiting = 0;
    let seen = Promise.withResolvers<void>();
    const onEvent = (): void => {
      values.push(performance.now() - sentAt);
      if (--waiting === 0) seen.resolve();
    };
    const end = await open(target, await watchPath(target), onEvent);
    const write = async (): Promise<void> => {
      waiting = watchers;
      seen = Promise.withResolvers<void>();
      sentAt = performance.now();
      // The object has size 0: a patch without changes creates no event.
      await target.api.must('PATCH', `${path}/name-0`, `{"spec":{"size":${target.next() + 1}}}`, merge);
      await seen.promise;
    };
    await write();
    values.length = 0;
    begin();
    const measured = await load(1, seconds, write);
    end();
    return { values, operations: measured.operations ?? 0, seconds: measured.seconds ?? 0 };
  },
});

/** Starts an Annex with its controllers, as `annex up` does by default, and stops it. */
async function started(dir: string): Promise<{ ms: number; resident: number }> {
  const begin = performance.now();
  await using annex = await startAnnex(dir);
  const ms = performance.now() - begin;
  // Modules that are loaded after the start are loaded by then.
  await new Promise((resolve) => setTimeout(resolve, 1000));
  return { ms, resident: residentMiB([annex.pid]) };
}

const starts: Row[] = [
  {
    name: 'ready first start',
    measures: 'from starting the process to its ready line; keys and the store are created',
    unit: 'ms',
    skip: onlyAnnex,
    run: async () => {
      using folder = tempFolder('annex-bench-');
      return { values: [(await started(folder.path)).ms] };
    },
  },
  {
    name: 'ready existing directory',
    measures: 'the same with existing keys and store',
    unit: 'ms',
    skip: onlyAnnex,
    run: async (_, { seconds }) => {
      using folder = tempFolder('annex-bench-');
      await started(folder.path);
      const values: number[] = [];
      for (let i = 0; i < (seconds < 0.5 ? 1 : 2); i++) values.push((await started(folder.path)).ms);
      return { values };
    },
  },
  {
    name: 'memory first start with controllers',
    measures: 'resident memory a second after the ready line',
    unit: 'MiB',
    rounds: 1,
    skip: onlyAnnex,
    run: async () => {
      using folder = tempFolder('annex-bench-');
      return { values: [(await started(folder.path)).resident] };
    },
  },
  {
    name: 'memory at start',
    measures: 'resident memory before the first request of the run, without controllers',
    unit: 'MiB',
    rounds: 1,
    skip: withProcess,
    run: async ({ residentAtStart = Number.NaN }) => ({ values: [residentAtStart] }),
  },
];

/** The scenario: its rows in the order of execution. */
export const scenario: readonly Row[] = [
  ...starts,
  {
    name: 'definition to served',
    measures:
      'from POST of a CustomResourceDefinition until its collection returns 200, with repeated requests',
    unit: 'ms',
    run: async (target) => {
      const values: number[] = [];
      for (let i = 0; i < 3; i++) {
        const plural = `early${target.next()}s`;
        values.push(
          await until(async () => (await target.define(plural), await target.served(plural), true)),
        );
      }
      return { values };
    },
  },
  ...loaded('create', 'POST of a custom resource of 1 KiB', async (target) => {
    const path = await target.collection('widgets', 16);
    await target.api.must('POST', path, target.object('widgets', `new-${target.next()}`, 1));
  }),
  ...loaded('get', 'GET of a custom resource', async (target, worker) =>
    target.api.must('GET', await own(target, worker)),
  ),
  {
    name: `list of ${listLength}`,
    measures: `GET of ${listLength} custom resources, until the last byte`,
    unit: 'ms',
    prepare: (target) => target.collection('manies', listLength),
    run: async (target, { seconds }) => {
      const path = await target.collection('manies', listLength);
      return await load(1, seconds, () => target.api.must('GET', path));
    },
  },
  ...loaded('merge patch', 'merge patch of one field', async (target, worker) =>
    target.api.must('PATCH', await own(target, worker), `{"spec":{"size":${target.next()}}}`, merge),
  ),
  ...loaded('apply', 'server-side apply of the whole object with one field changed', async (target, worker) =>
    target.api.must(
      'PATCH',
      `${await own(target, worker)}?fieldManager=bench&force=true`,
      target.object('widgets', `name-${worker}`, target.next()),
      apply,
    ),
  ),
  ...loaded('status update', 'PUT of the status', updateStatus),
  watched(1, 'on a separate connection', apart(1)),
  watched(100, 'every watcher on a separate connection', apart(100)),
  { ...watched(manyWatchers, 'on 20 connections of HTTP/2', together), rounds: 1 },
  {
    name: `memory ${manyWatchers} watches`,
    measures: 'growth of resident memory when they are opened, on 20 connections of HTTP/2',
    unit: 'MiB',
    rounds: 1,
    skip: withProcess,
    prepare: (target) => target.collection('beacons', 1),
    run: async (target) => {
      const before = residentMiB(target.pids);
      const end = await together(target, await watchPath(target), () => undefined);
      const grown = residentMiB(target.pids) - before;
      end();
      return { values: [grown] };
    },
  },
  ...loaded(
    'access review',
    'POST of a SubjectAccessReview that RBAC denies',
    async (target) =>
      target.api.must('POST', '/apis/authorization.k8s.io/v1/subjectaccessreviews', accessReview),
    withReviews,
  ),
  ...fairness,
  ...shares,
  {
    name: 'memory after load',
    measures: 'resident memory after the rows above',
    unit: 'MiB',
    rounds: 1,
    skip: withProcess,
    run: async ({ pids }) => ({ values: [residentMiB(pids)] }),
  },
  {
    name: '200 definitions',
    measures:
      'from the first POST of 200 CustomResourceDefinitions, 8 at once, until the objects of all are served',
    unit: 'ms',
    rounds: 1,
    run: async (target) => ({ values: [await until(async () => (await register(target, 200, 8), true))] }),
  },
  {
    name: 'memory 200 definitions',
    measures: 'resident memory after that',
    unit: 'MiB',
    rounds: 1,
    skip: withProcess,
    run: async ({ pids }) => ({ values: [residentMiB(pids)] }),
  },
  ...manyDefinitions,
];

/** The folder of results. */
export const resultsDir = join(import.meta.dirname, '../results');
