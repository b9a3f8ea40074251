import { Client } from '@annex/client';
import { nullLogger } from '@annex/runtime';
import { holdTimeouts, startSilentServer } from '@annex/testkit';
import { expect, test } from 'vitest';
import { LeaseCounter, leaseListTimeoutMs } from './lease-counter.ts';

const setting = {
  namespace: 'kube-system',
  label: 'k8s-app=konnectivity-server',
  log: nullLogger,
  metrics: { leasesListed: () => undefined },
};

const lease = (renewed: number, leaseDurationSeconds = 30) => ({
  spec: { renewTime: new Date(renewed).toISOString(), leaseDurationSeconds },
});

/** A counter of the leases that an API server returns; `undefined` fails. */
function counterOf(...lists: (readonly object[] | undefined)[]) {
  const paths: string[] = [];
  const client = {
    async json<T>({ path }: { path: string }): Promise<T> {
      paths.push(path);
      const items = lists.shift();
      if (items === undefined) throw new Error('unreachable');
      return { items } as T;
    },
  };
  return { counter: new LeaseCounter(client, setting), paths };
}

test('leases that have not expired are counted', async () => {
  const { counter, paths } = counterOf([
    lease(Date.now()),
    lease(Date.now()),
    lease(Date.now() - 31_000),
    {},
  ]);
  await counter.start();
  counter.stop();
  expect(counter.count).toBe(2);
  expect(paths).toEqual([
    '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases?labelSelector=k8s-app%3Dkonnectivity-server',
  ]);
});

test('without a lease, or before the first list, one server is assumed', async () => {
  const { counter } = counterOf(undefined);
  expect(counter.count).toBe(1);
  await counter.start();
  counter.stop();
  expect(counter.count).toBe(1);
});

test('a list that takes longer than leaseListTimeoutMs is given up', async () => {
  using timeouts = holdTimeouts();
  await using server = await startSilentServer();
  const client = new Client({ server: server.url, ca: server.ca });
  const warnings: unknown[] = [];
  const log = { ...nullLogger, warn: (...line: unknown[]) => void warnings.push(line) };
  const counter = new LeaseCounter(client, { ...setting, log });
  const requested = server.requested();
  const started = counter.start();
  await requested;
  expect(timeouts.expire(leaseListTimeoutMs)).toBe(1);
  await started;
  counter.stop();
  client.close();
  expect(warnings).toHaveLength(1);
});
