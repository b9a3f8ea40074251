import { type KubeObject, notFound } from '@annex/machinery';
import { FakeClock } from '@annex/testkit';
import { createLogger } from '@annex/runtime';
import { beforeEach, describe, expect, it } from 'vitest';
import type { ClientRequest } from './client.ts';
import { LeaderElection } from './leader-election.ts';

interface StoredLease extends KubeObject {
  spec: { holderIdentity: string };
}

/** A server with one Lease. Its requests can hang until their timeout. */
class LeaseServer {
  lease: StoredLease | undefined;
  hangs = false;
  readonly timeouts: (number | undefined)[] = [];
  readonly #clock: FakeClock;
  #version = 0;

  constructor(clock: FakeClock) {
    this.#clock = clock;
  }

  async json<T>({ method = 'GET', body, timeoutMs }: Omit<ClientRequest, 'signal'>): Promise<T> {
    this.timeouts.push(timeoutMs);
    if (this.hangs) {
      await this.#clock.sleep(timeoutMs ?? Infinity);
      throw new Error('timeout');
    }
    if (method === 'GET') {
      if (this.lease === undefined) throw notFound({ group: 'coordination.k8s.io', resource: 'leases' }, 'l');
      return this.lease as T;
    }
    this.lease = { ...(body as StoredLease) };
    this.lease.metadata = { ...this.lease.metadata, resourceVersion: String(++this.#version) };
    return this.lease as T;
  }

  takenBy(holderIdentity: string): void {
    const metadata = { ...this.lease?.metadata, resourceVersion: String(++this.#version) };
    this.lease = { ...this.lease, metadata, spec: { ...this.lease?.spec, holderIdentity } };
  }
}

let clock: FakeClock;
let server: LeaseServer;
let events: string[];
const log = createLogger({ level: 'off', format: 'text' });

const elect = (): LeaderElection => {
  const lost = () => void events.push(`lost at ${clock.monotonic()}`);
  const election = new LeaderElection(server, { identity: 'me', lost }, { clock, log });
  election.start({ started: () => void events.push(`started at ${clock.monotonic()}`), lost });
  return election;
};

beforeEach(() => {
  clock = new FakeClock();
  server = new LeaseServer(clock);
  events = [];
});

describe('leader election', () => {
  it('holds a lease while it renews it', async () => {
    const election = elect();
    expect(election.isHeld).toBe(false);
    await clock.advance(0);
    expect(events).toEqual(['started at 0']);
    await clock.advance(60_000);
    expect(events).toHaveLength(1);
    expect(election.isHeld).toBe(true);
    expect(server.lease?.spec).toMatchObject({ holderIdentity: 'me', leaseDurationSeconds: 15 });
  });

  it('releases the lease after the work has ended', async () => {
    const election = elect();
    await clock.advance(0);
    await election.stop(async () => void events.push(`ends, held ${election.isHeld}`));
    expect(events.at(-1)).toBe('ends, held true');
    expect(election.isHeld).toBe(false);
    expect(server.lease?.spec.holderIdentity).toBe('');
  });

  it('ends leadership at the renew deadline while requests hang, before the lease expires', async () => {
    const election = elect();
    await clock.advance(0);
    server.hangs = true;
    await clock.advance(14_999);
    expect(events).toHaveLength(2);
    expect(Number(events[1]?.split(' ').at(-1))).toBeLessThan(12_000);
    expect(election.isHeld).toBe(false);
    expect(Math.max(...server.timeouts.map(Number))).toBe(5_000);
  });

  it('does not hold a lease that another process took', async () => {
    const election = elect();
    await clock.advance(0);
    server.takenBy('another');
    await clock.advance(30_000);
    expect(events.at(-1)).toBe('lost at 10000');
    expect(election.isHeld).toBe(false);
  });

  it('takes a lease as soon as it did not change for its duration', async () => {
    server.takenBy('another');
    const election = elect();
    await clock.advance(14_000);
    expect(events).toEqual([]);
    expect(election.isStandby).toBe(true);
    await clock.advance(1_000);
    expect(events).toEqual(['started at 15000']);
    expect(election.isStandby).toBe(false);
    expect(election.isHeld).toBe(true);
  });
});
