import { randomInt } from 'node:crypto';
import { status } from '@grpc/grpc-js';
import type { Store } from '../store.ts';
import { CallFailure, leaseNotFound } from './failures.ts';

interface Lease {
  grantedTtl: number;
  /** Key → the revision that attached it. */
  keys: Map<string, number>;
}

const idSpread = 2 ** 21;
const longestTtl = 9_000_000_000;

/**
 * The leases of clients. The id of a lease holds the second in which it expires, so that leases stay good when the
 * server starts anew; the keys themselves carry their time to live in the store.
 */
export class LeaseTable {
  readonly #store: Store;
  readonly #leases = new Map<number, Lease>();
  readonly #revoked = new Set<number>();

  constructor(store: Store) {
    this.#store = store;
  }

  grant(ttl: number, wantedId: number | string): { id: number; ttl: number } {
    if (Number(wantedId) !== 0) {
      throw new CallFailure(
        status.UNIMPLEMENTED,
        'etcdserver: LeaseGrantRequest.ID is not supported by object-storage',
      );
    }
    if (ttl > longestTtl) throw new CallFailure(status.OUT_OF_RANGE, 'etcdserver: too large lease TTL');
    this.#forgetExpired();
    const granted = Math.max(1, ttl);
    const id = (Math.ceil(Date.now() / 1000) + Math.min(granted, 2 ** 31)) * idSpread + randomInt(idSpread);
    this.#leases.set(id, { grantedTtl: granted, keys: new Map() });
    return { id, ttl: granted };
  }

  /** The seconds that a lease has left. Throws for one that is not there. */
  remaining(id: number): number {
    const left = Math.floor(id / idSpread) - Date.now() / 1000;
    if (left <= 0 || this.#revoked.has(id)) throw leaseNotFound();
    return left;
  }

  attach(id: number, key: string, revision: number): void {
    const lease = this.#leases.get(id) ?? { grantedTtl: Math.ceil(this.remaining(id)), keys: new Map() };
    this.#leases.set(id, lease);
    lease.keys.set(key, revision);
  }

  async revoke(id: number): Promise<void> {
    this.remaining(id);
    this.#revoked.add(id);
    const keys = this.#leases.get(id)?.keys ?? new Map<string, number>();
    this.#leases.delete(id);
    const deletions = [...keys].map(([key, revision]) => this.#store.delete(key, revision));
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

  #forgetExpired(): void {
    const now = Date.now() / 1000;
    const expired = (id: number) => Math.floor(id / idSpread) <= now;
    for (const id of this.#leases.keys()) if (expired(id)) this.#leases.delete(id);
    for (const id of this.#revoked) if (expired(id)) this.#revoked.delete(id);
  }
}
