import type { KubeObject } from '@annex/machinery';
import { expect, it } from 'vitest';
import { post, runReplicas } from './replicas.fixture.ts';

const lease = '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/kube-controller-manager';
const endpoints = '/api/v1/namespaces/default/endpoints/kubernetes';
const times = [
  '--leader-elect-lease-duration=4s',
  '--leader-elect-renew-deadline=3s',
  '--leader-elect-retry-period=100ms',
];

it('the controllers of one replica run, and those of the other one when it stops', async () => {
  await using running = await runReplicas('--controllers=serviceaccount-controller', ...times);
  const { replicas, clients } = running;
  const holder = async () => {
    const found = await clients[1].json<KubeObject>({ path: lease }).catch(() => undefined);
    return (found?.spec as { holderIdentity?: string } | undefined)?.holderIdentity ?? '';
  };
  const addresses = async () => {
    const { subsets } = await clients[1].json<{ subsets: { addresses: { ip: string }[] }[] }>({
      path: endpoints,
    });
    return subsets.flatMap((one) => one.addresses.map(({ ip }) => ip));
  };
  await expect.poll(holder).not.toBe('');
  const first = await holder();
  expect(await addresses()).toEqual(['127.0.0.1', '127.0.0.2']);
  await replicas[0].stop();
  await expect.poll(holder, { timeout: 10_000 }).not.toBe(first);
  expect(await addresses()).toEqual(['127.0.0.2']);
  await post(clients[1], '/api/v1/namespaces', { metadata: { name: 'after' } });
  const account = () =>
    clients[1].json({ path: '/api/v1/namespaces/after/serviceaccounts/default' }).then(
      () => true,
      () => false,
    );
  await expect.poll(account, { timeout: 10_000 }).toBe(true);
}, 60_000);
