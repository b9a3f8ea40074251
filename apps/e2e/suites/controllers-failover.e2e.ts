import { join } from 'node:path';
import { Client, loadKubeconfig } from '@annex/client';
import type { KubeObject } from '@annex/machinery';
import { type RunningProcess, startProcess } from '@annex/testkit';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import type { Runner } from '../runners/runner.ts';
import { startAnnex } from '../runners/start-annex.ts';
import { awaitObject, isThere } from './await-object.ts';
import { annexCommand } from '../runners/annex-command.ts';

const leases = '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases';
const leaseName = 'kube-controller-manager';
/** Lease times that are long enough for a busy machine and short enough for a test. */
const times = [
  '--leader-elect-lease-duration=4s',
  '--leader-elect-renew-deadline=3s',
  '--leader-elect-retry-period=500ms',
];
const leads = /leading.* identity=(\S+)/;

let annex: Runner;
let api: Client;
let processes: RunningProcess[] = [];

const start = async (): Promise<RunningProcess> => {
  const process = await startProcess(globalThis.process.execPath, {
    args: [
      annexCommand,
      'controllers',
      `--kubeconfig=${annex.kubeconfig}`,
      '--controllers=*',
      '--port=0',
      '--log-level=info',
      `--tls-cert-file=${join(annex.pki, 'apiserver.crt')}`,
      `--tls-private-key-file=${join(annex.pki, 'apiserver.key')}`,
      `--service-account-private-key-file=${join(annex.pki, 'sa.key')}`,
      ...times,
    ],
    until: /is ready/,
  });
  processes.push(process);
  return process;
};
const holder = (object: KubeObject | undefined): string =>
  String((object?.spec as { holderIdentity?: string } | undefined)?.holderIdentity ?? '');
const identityOf = async (process: RunningProcess): Promise<string> =>
  (await process.waitFor(leads))[1] ?? '';
const isLeading = (process: RunningProcess): boolean => process.lines.some((line) => leads.test(line));

/** Resolves when a controller has created the objects of a new namespace. */
async function untilControlled(name: string): Promise<void> {
  await api.json({ method: 'POST', path: '/api/v1/namespaces', body: { metadata: { name } } });
  await awaitObject(api, `/api/v1/namespaces/${name}/serviceaccounts`, 'default', isThere);
}

beforeAll(async () => {
  annex = await startAnnex({ ephemeral: true });
  api = new Client(await loadKubeconfig(annex.kubeconfig));
});
afterEach(async () => {
  await Promise.all(processes.map((process) => process.stop()));
  processes = [];
});
afterAll(async () => {
  api.close();
  await annex.stop();
});

it('one of several processes leads; when it is stopped, another one continues its work', async () => {
  const first = await start();
  const leader = await identityOf(first);
  const second = await start();
  await untilControlled('led-by-the-first');
  const lease = await awaitObject(api, leases, leaseName, isThere);
  expect(holder(lease)).toBe(leader);
  expect(lease?.spec).toMatchObject({ leaseDurationSeconds: 4 });
  expect(isLeading(second)).toBe(false);
  expect(await first.stop()).toBe(0);
  const next = await identityOf(second);
  expect(next).not.toBe(leader);
  const taken = await awaitObject(api, leases, leaseName, (one) => holder(one) === next);
  const before = (lease?.spec as { leaseTransitions: number }).leaseTransitions;
  expect(taken?.spec).toMatchObject({ leaseTransitions: before + 1 });
  await untilControlled('led-by-the-second');
  const notified = await api.json<{ items: KubeObject[] }>({ path: '/api/v1/namespaces/kube-system/events' });
  expect(notified.items.map(({ message }) => message)).toContain(`${next} became leader`);
});

it('another process continues when the leader is killed', async () => {
  const first = await start();
  await identityOf(first);
  const second = await start();
  first.kill('SIGKILL');
  await first.exited;
  await untilControlled('led-by-a-survivor');
  expect(isLeading(second)).toBe(true);
});

it('a leader that stood still ends when it finds that another one leads', async () => {
  const first = await start();
  await identityOf(first);
  const second = await start();
  first.kill('SIGSTOP');
  await identityOf(second);
  first.kill('SIGCONT');
  expect(await first.exited).toBe(1);
  await untilControlled('led-by-the-other');
});
