import { Client } from '@annex/client';
import { StatusError } from '@annex/machinery';
import { createMetrics, type Metrics, nullLogger } from '@annex/runtime';
import { FakeClock, holdTimeouts, startSilentServer } from '@annex/testkit';
import { expect, test } from 'vitest';
import { leaseMetrics } from './lease-metrics.ts';
import { leaseRequestTimeoutMs, ServerLease } from './server-lease.ts';

const setting = {
  serverId: 'a',
  namespace: 'kube-system',
  label: 'k8s-app=konnectivity-server',
  log: nullLogger,
};

const measuredBy = (metrics: Metrics) => ({ ...setting, metrics: leaseMetrics(metrics) });
const leases = '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases';

/** A lease that was renewed so many seconds ago. */
const renewed = (name: string, secondsAgo: number, now: number) => ({
  metadata: { name },
  spec: { renewTime: new Date(now - secondsAgo * 1000).toISOString(), leaseDurationSeconds: 30 },
});

test('the lease is written, expired leases are removed, and at the end the own one', async () => {
  const clock = new FakeClock();
  const requests: string[] = [];
  const now = Number(clock.now());
  const items = [renewed('here', 10, now), renewed('late', 40, now), renewed('gone', 46, now)];
  const client = {
    async json<T>({ method = 'GET', path }: { method?: string; path: string }): Promise<T> {
      requests.push(`${method} ${path.split('?')[0]!.slice(leases.length)}`);
      return { items } as T;
    },
  };
  const metrics = createMetrics();
  const lease = new ServerLease(client, { ...measuredBy(metrics), clock });
  lease.start();
  await lease.stop();
  expect(requests).toEqual([
    'PATCH /konnectivity-proxy-server-a',
    'GET ',
    'DELETE /gone',
    'DELETE /konnectivity-proxy-server-a',
  ]);
  expect((await metrics.render()).split('\n')).toEqual(
    expect.arrayContaining([
      'konnectivity_network_proxy_server_culled_leases_count 1',
      'konnectivity_network_proxy_server_lease_list_total{http_status_code="200",reason=""} 1',
      'konnectivity_network_proxy_server_lease_delete_total{http_status_code="200",reason=""} 2',
    ]),
  );
});

test('a request that takes longer than leaseRequestTimeoutMs is given up, and the next one is sent', async () => {
  using timeouts = holdTimeouts();
  await using server = await startSilentServer();
  const client = new Client({ server: server.url, ca: server.ca });
  const warnings: unknown[] = [];
  const log = { ...nullLogger, warn: (...line: unknown[]) => void warnings.push(line) };
  const lease = new ServerLease(client, { ...measuredBy(createMetrics()), log });
  const written = server.requested();
  lease.start();
  await written;
  const collected = server.requested();
  expect(timeouts.expire(leaseRequestTimeoutMs)).toBe(1);
  await collected;
  const removed = server.requested();
  const stopped = lease.stop();
  timeouts.expire(leaseRequestTimeoutMs);
  await removed;
  timeouts.expire(leaseRequestTimeoutMs);
  await stopped;
  client.close();
  expect(warnings).toHaveLength(3);
});

test('a lease that is gone already is no error', async () => {
  const warnings: unknown[] = [];
  const log = { ...nullLogger, warn: (...line: unknown[]) => void warnings.push(line) };
  const client = {
    json: () => Promise.reject(new StatusError({ code: 404, reason: 'NotFound', message: 'gone' } as never)),
  };
  await new ServerLease(client, { ...measuredBy(createMetrics()), log }).stop();
  expect(warnings).toEqual([]);
});
