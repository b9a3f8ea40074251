import { memoryDeps } from '@annex/app-testkit';
import { encodeStored } from '@annex/server';
import { expect, it } from 'vitest';
import { AllocationError, ClusterIps } from './cluster-ips.ts';
import { IpRange } from './ip-range.ts';

const address = '10.0.0.7';
const service = (name: string, spec: object = {}) => ({
  kind: 'Service',
  apiVersion: 'v1',
  metadata: { name, namespace: 'default' },
  spec,
});

it('an address without a stored Service is allocated again after a minute, whatever the clocks of replicas are', async () => {
  const deps = memoryDeps();
  let elapsed = 0;
  const withClock = (aheadMs: number) => {
    const { clock } = deps;
    const now = () => clock.now() + aheadMs;
    const skewed = Object.create(clock, {
      now: { value: now },
      monotonic: { value: () => elapsed },
    }) as typeof clock;
    return new ClusterIps({ ...deps, clock: skewed }, new IpRange('10.0.0.0/24'));
  };
  await withClock(-600_000).allocate(address, service('first'), false);
  const replica = withClock(0);
  await expect(replica.allocate(address, service('second'), false)).rejects.toThrow(AllocationError);
  elapsed += 59_999;
  await expect(replica.allocate(address, service('second'), false)).rejects.toThrow(AllocationError);
  elapsed += 1;
  await replica.allocate(address, service('second'), false);
  await deps.store.create(
    '/registry/services/specs/default/second',
    encodeStored(service('second', { clusterIPs: [address] })),
  );
  for (let i = 0; i < 2; i++) {
    await expect(replica.allocate(address, service('third'), false)).rejects.toThrow(AllocationError);
    elapsed += 60_000;
  }
  await deps.feed.close();
});
