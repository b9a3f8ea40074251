import { nullLogger, systemClock } from '@annex/runtime';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { LeaderElection } from '@annex/client';
import { type Served, serveKinds } from './served.fixture.ts';

const path = '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/kube-controller-manager';
const times = { leaseDurationMs: 400, renewDeadlineMs: 200, retryPeriodMs: 20 };

interface Lease {
  metadata: { resourceVersion: string };
  spec: Record<string, unknown>;
}

let served: Served;
const elections: LeaderElection[] = [];

beforeEach(async () => void (served = await serveKinds()));
afterEach(async () => {
  await Promise.all(elections.splice(0).map((election) => election.stop()));
  await served.stop();
});

function candidate(identity: string, name = 'kube-controller-manager') {
  const started = Promise.withResolvers<void>();
  const lost = Promise.withResolvers<void>();
  const election = new LeaderElection(
    served.api,
    { ...times, name, identity, lost: () => undefined },
    { clock: systemClock, log: nullLogger },
  );
  elections.push(election);
  election.start({ started: () => started.resolve(), lost: lost.resolve });
  return { election, started: started.promise, lost: lost.promise };
}

const read = () => served.api.json<Lease>({ path });

it('holds a lease with the fields of kube', async () => {
  await candidate('one').started;
  const { spec } = await read();
  expect(spec).toMatchObject({ holderIdentity: 'one', leaseDurationSeconds: 1, leaseTransitions: 0 });
  expect(spec.renewTime).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
});

it('releases the lease, and another process takes it', async () => {
  const first = candidate('one');
  await first.started;
  const second = candidate('two');
  await first.election.stop();
  await second.started;
  expect((await read()).spec).toMatchObject({ holderIdentity: 'two', leaseTransitions: 1 });
});

it('releases the lease only when the work of the leader has ended', async () => {
  const { election, started } = candidate('one');
  await started;
  let heldBy: unknown;
  await election.stop(async () => void (heldBy = (await read()).spec.holderIdentity));
  expect(heldBy).toBe('one');
  expect((await read()).spec).toMatchObject({
    holderIdentity: '',
    leaseDurationSeconds: 1,
    leaseTransitions: 0,
  });
});

it('takes a lease that was not renewed for its duration', async () => {
  const body = {
    metadata: { name: 'kube-controller-manager' },
    spec: { holderIdentity: 'crashed', leaseDurationSeconds: 1, renewTime: '2100-01-01T00:00:00.000000Z' },
  };
  await served.api.json({ method: 'POST', path: path.slice(0, path.lastIndexOf('/')), body });
  await candidate('one').started;
  expect((await read()).spec).toMatchObject({ holderIdentity: 'one', leaseTransitions: 1 });
});

it('ends leadership when another process holds the lease', async () => {
  const first = candidate('one');
  await first.started;
  // A concurrent renewal may be faster.
  for (let taken = false; !taken;) {
    const lease = await read();
    const body = { ...lease, spec: { ...lease.spec, holderIdentity: 'two', leaseDurationSeconds: 3600 } };
    taken = await served.api.json({ method: 'PUT', path, body }).then(
      () => true,
      () => false,
    );
  }
  await first.lost;
  await first.election.stop();
  expect((await read()).spec.holderIdentity).toBe('two');
});
