import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { startProcess } from '@annex/testkit';
import { annexProgram } from '../../target.ts';
import { get, post, remove } from '../groups/request-group.ts';
import { definitions, events, mixedObjects, numbered, widgets } from './stored-kinds.ts';
import { request, type Site, type Stage, start } from './stage.ts';

const none = { objects: 0, text: 300, dependents: 0, inNamespace: 0 };
const nowSeconds = (): number => Math.floor(Date.now() / 1000);
const eventList = '/api/v1/namespaces/default/events';
/** How long after the image is written its events expire. */
const eventSeconds = 45;

/** Runs a command of annex beside the server. */
async function command(...args: readonly string[]): Promise<void> {
  const running = await startProcess(process.execPath, { args: [annexProgram, ...args] });
  if ((await running.exited) !== 0) throw new Error(running.lines.join('\n'));
}

const kubeconfig = ({ server }: Site): string => `--kubeconfig=${join(server.folder, 'admin.kubeconfig')}`;

/** Waits until a quota has counted. */
async function counted(site: Site, path: string): Promise<void> {
  while (!(await site.must(get(path))).includes('"used"')) await setTimeout(50);
}

/** What a server does with many objects besides requests: backups, migrations, quotas, and events that expire. */
export const upkeepStages: readonly Stage[] = [
  {
    name: 'snapshot and migration',
    image: () => ({
      ...none,
      objects: 50_000,
      further: [...definitions(1), ...widgets(5000)],
    }),
    steps: [
      start,
      {
        name: 'snapshot while serving',
        run: (site) =>
          command('snapshot', join(site.server.folder, 'x.snap'), `--data-dir=${site.server.folder}`),
      },
      {
        name: 'migrate 5k objects',
        run: (site) => command('migrate', numbered(0).metadata.name, kubeconfig(site)),
      },
    ],
  },
  {
    name: 'a quota of 20k objects',
    image: () => ({ ...none, further: mixedObjects('mixed', 20_000) }),
    steps: [
      start,
      {
        name: 'first count',
        run: async (site) => {
          const hard = { 'count/configmaps': '90000', 'count/secrets': '90000', services: '5' };
          await site.must(
            post('/api/v1/namespaces/mixed/resourcequotas', { metadata: { name: 'q' }, spec: { hard } }),
          );
          await counted(site, '/api/v1/namespaces/mixed/resourcequotas/q');
        },
      },
      {
        name: 'deletion of 4k, then a recount',
        run: async (site) => {
          await site.must(remove('/api/v1/namespaces/mixed/configmaps'));
          await setTimeout(3000);
        },
      },
    ],
  },
  {
    name: '100k events that expire',
    image: () => ({ ...none, further: events(100_000, nowSeconds() + eventSeconds) }),
    steps: [
      start,
      request('list', get(`${eventList}?limit=500`)),
      { name: 'all expire', run: (site) => site.emptied(eventList) },
    ],
  },
  {
    name: '100k events that have expired',
    image: () => ({ ...none, further: events(100_000, nowSeconds() + 1) }),
    steps: [start, { name: 'gone', run: (site) => site.emptied(eventList) }],
  },
];
