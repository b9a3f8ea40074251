import { randomInt } from 'node:crypto';
import { status } from '@grpc/grpc-js';
import { type Clock, systemClock } from '@annex/runtime';
import type { Store } from '../store.ts';
import { CallFailure, leaseNotFound, tooManyRequests } from './failures.ts';
import { maxLeases, maxLeaseSeconds } from './limits.ts';

interface Lease {
  grantedTtl: number;
  /** When it expires, on the monotonic clock. */
  until: number;
  revoked: boolean;
  /** Key → the revision that attached it. */
  keys: Map<string, number>;
}

const idSpread = 2 ** 21;
const smallTable = 100;

/**
 * The leases of clients. The id of a lease holds the second in which it expires, so that leases stay good when the
 * server starts anew; the keys themselves carry their time to live in the store.
 */
export class LeaseTable {
  readonly #store: Store;
  readonly #clock: Pick<Clock, 'now' | 'monotonic'>;
  readonly #leases = new Map<number, Lease>();
  /** With so many leases the table is searched for those that have expired. */
  #searchAt = smallTable;

  constructor(store: Store, clock: Pick<Clock, 'now' | 'monotonic'> = systemClock) {
    this.#store = store;
    this.#clock = clock;
  }

  grant(ttl: number, wantedId: number | string): { id: number; ttl: number } {
    if (Number(wantedId) !== 0) {
      throw new CallFailure(
        status.UNIMPLEMENTED,
        'etcdserver: LeaseGrantRequest.ID is not supported by object-storage',
      );
    }
    if (ttl > maxLeaseSeconds) throw new CallFailure(status.OUT_OF_RANGE, 'etcdserver: too large lease TTL');
    if (!this.#hasRoom()) throw tooManyRequests();
    const granted = Math.max(1, ttl);
    const expires = Math.ceil(this.#clock.now() / 1000) + Math.min(granted, 2 ** 31);
    let id: number;
    do id = expires * idSpread + randomInt(idSpread);
    while (this.#leases.has(id));
    this.#leases.set(id, this.#lease(granted));
    return { id, ttl: granted };
  }

  /** The seconds that a lease has left. Throws for one that is not there. */
  remaining(id: number): number {
    const lease = this.#leases.get(id);
    const left = lease
      ? (lease.until - this.#clock.monotonic()) / 1000
      : Math.floor(id / idSpread) - this.#clock.now() / 1000;
    if (left <= 0 || lease?.revoked) throw leaseNotFound();
    return left;
  }

  attach(id: number, key: string, revision: number): void {
    const known = this.#leases.get(id);
    const lease = known ?? this.#lease(Math.ceil(this.remaining(id)));
    // Without room the key still expires: its time to live is in the store.
    if (!known && !this.#hasRoom()) return;
    this.#leases.set(id, lease);
    lease.keys.set(key, revision);
  }

  async revoke(id: number): Promise<void> {
    const lease = this.#leases.get(id) ?? this.#lease(Math.ceil(this.remaining(id)));
    this.remaining(id);
    if (!this.#leases.has(id) && !this.#hasRoom()) throw tooManyRequests();
    this.#leases.set(id, { ...lease, revoked: true, keys: new Map() });
    const deletions = [...lease.keys].map(([key, revision]) => this.#store.delete(key, revision));
    // A key that was written since has left the lease.
    await Promise.allSettled(deletions);
  }

  timeToLive(id: number): { ttl: number; grantedTtl: number; keys: string[] } {
    try {
      const left = Math.floor(this.remaining(id));
      const lease = this.#leases.get(id);
      return { ttl: left, grantedTtl: lease?.grantedTtl ?? left, keys: [...(lease?.keys.keys() ?? [])] };
    } catch {
      return { ttl: -1, grantedTtl: 0, keys: [] };
    }
  }

  #lease(seconds: number): Lease {
    const until = this.#clock.monotonic() + seconds * 1000;
    return { grantedTtl: seconds, until, revoked: false, keys: new Map() };
  }

  /** Forgets the leases that have expired, whenever the table has doubled: so a lease costs the same however many there are. */
  #hasRoom(): boolean {
    if (this.#leases.size < this.#searchAt) return true;
    const now = this.#clock.monotonic();
    for (const [id, { until }] of this.#leases) if (until <= now) this.#leases.delete(id);
    this.#searchAt = Math.min(maxLeases, Math.max(smallTable, 2 * this.#leases.size));
    return this.#leases.size < maxLeases;
  }
}
