import { randomInt } from 'node:crypto';
import { status } from '@grpc/grpc-js';
import { type Clock, ownTurn, systemClock } from '@annex/runtime';
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
/** Keys of a revoked lease that are deleted at once. */
const revokedAtOnce = 200;

/**
 * The leases of clients. The id of a lease contains the second in which it expires, so that leases remain
 * valid when the server restarts; the store has the time to live of each key.
 */
export class LeaseTable {
  readonly #store: Store;
  readonly #clock: Pick<Clock, 'now' | 'monotonic'>;
  readonly #leases = new Map<number, Lease>();
  /** The size at which the table is searched for expired leases. */
  #searchAt = smallTable;

  constructor(store: Store, clock: Pick<Clock, 'now' | 'monotonic'> = systemClock) {
    this.#store = store;
    this.#clock = clock;
  }

  grant(ttl: number, requestedId: number | string): { id: number; ttl: number } {
    if (Number(requestedId) !== 0) {
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

  /** Returns the remaining seconds of a lease. Throws if there is no such lease. */
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
    // A full table does not affect expiry: the store has the time to live.
    if (!known && !this.#hasRoom()) return;
    this.#leases.set(id, lease);
    lease.keys.set(key, revision);
  }

  async revoke(id: number): Promise<void> {
    const lease = this.#leases.get(id) ?? this.#lease(Math.ceil(this.remaining(id)));
    this.remaining(id);
    if (!this.#leases.has(id) && !this.#hasRoom()) throw tooManyRequests();
    this.#leases.set(id, { ...lease, revoked: true, keys: new Map() });
    const keys = [...lease.keys];
    for (let i = 0; i < keys.length; i += revokedAtOnce) {
      if (i > 0) await ownTurn();
      const deletions = keys
        .slice(i, i + revokedAtOnce)
        .map(([key, revision]) => this.#store.delete(key, revision));
      // A key that was written since is no longer attached to the lease.
      await Promise.allSettled(deletions);
    }
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

  /** Removes expired leases each time the table has doubled, so that the cost per lease is constant. */
  #hasRoom(): boolean {
    if (this.#leases.size < this.#searchAt) return true;
    const now = this.#clock.monotonic();
    for (const [id, { until }] of this.#leases) if (until <= now) this.#leases.delete(id);
    this.#searchAt = Math.min(maxLeases, Math.max(smallTable, 2 * this.#leases.size));
    return this.#leases.size < maxLeases;
  }
}
