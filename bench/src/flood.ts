import { once } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import type { ClientConfig } from '@annex/client';
import { Api } from './api.ts';
import { load } from './load.ts';
import type { Row } from './scenario.ts';
import { listLength, type Target } from './target.ts';

/** What a flood sends: each caller lists the path again and again. */
export interface FloodData {
  config: ClientConfig;
  path: string;
  callers: number;
}

const floodCallers = 64;
const creators = 4;
/** Milliseconds after which the queues of the server are full. */
const settleMs = 2_000;

/** Users have flows of their own; administrators are exempt from flow control. */
const as = ({ config }: Target, user: string): ClientConfig => ({ ...config, impersonate: { user } });

async function allow(target: Target): Promise<void> {
  const subjects = ['flood', 'others'].map((name) => ({
    kind: 'User',
    apiGroup: 'rbac.authorization.k8s.io',
    name,
  }));
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' };
  const body = JSON.stringify({ metadata: { name: target.group }, roleRef, subjects });
  const path = '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings';
  await target.api.must('POST', path, body);
}

/** Measures creates of one user, alone or while another user lists everything. */
const createsOfOthers = (name: string, measures: string, isFlooded: boolean): Row => ({
  name,
  measures,
  unit: 'ms',
  rounds: 1,
  prepare: async (target) => {
    await target.collection('manies', listLength);
    await target.collection('widgets', 16);
    await allow(target).catch(() => undefined);
  },
  run: async (target, { seconds, begin }) => {
    const api = new Api(as(target, 'others'));
    const [path, long] = [
      await target.collection('widgets', 16),
      await target.collection('manies', listLength),
    ];
    const create = () => api.must('POST', path, target.object('widgets', `other-${target.next()}`, 1));
    await load(creators, seconds / 4, create);
    const flood = isFlooded ? startFlood(target, long) : undefined;
    if (flood) await setTimeout(settleMs);
    begin();
    const measured = await load(creators, seconds, create);
    await flood?.end();
    api.close();
    return measured;
  },
});

function startFlood(target: Target, path: string): { end(): Promise<void> } {
  const workerData: FloodData = { config: as(target, 'flood'), path, callers: floodCallers };
  const worker = new Worker(new URL('flood-thread.ts', import.meta.url), { workerData });
  return {
    async end() {
      const ended = once(worker, 'exit');
      worker.postMessage('end');
      await ended;
    },
  };
}

/** Rows about fairness: what a flood of long lists costs other users. */
export const fairness: readonly Row[] = [
  createsOfOthers('create of a user', `POST of a custom resource by ${creators} callers of one user`, false),
  createsOfOthers(
    'create beside a flood',
    `the same while ${floodCallers} callers of another user list ${listLength} objects`,
    true,
  ),
];
