import { type Clock, systemClock } from '@annex/runtime';
import type { EtcdClient } from './client.ts';

interface Lease {
  id: number | string;
  /** After this time a new lease is granted, so that no key expires before its time to live. */
  until: number;
}

const longestReuse = 60;
const reuseShare = 0.05;

/**
 * Leases for keys with a time to live. Keys that are written within a short time share one, as in
 * kube-apiserver.
 */
export class LeasePool {
  readonly #client: Pick<EtcdClient, 'call'>;
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #leases = new Map<number, Promise<Lease>>();

  constructor(client: Pick<EtcdClient, 'call'>, clock: Pick<Clock, 'monotonic'> = systemClock) {
    this.#client = client;
    this.#clock = clock;
  }

  async leaseFor(ttlSeconds: number): Promise<number | string> {
    const known = this.#leases.get(ttlSeconds);
    if (known) {
      const lease = await known.catch(() => undefined);
      if (lease && this.#clock.monotonic() < lease.until) return lease.id;
    }
    // Several callers may have waited: the first requests the lease, the others share it.
    if (this.#leases.get(ttlSeconds) === known) this.#leases.set(ttlSeconds, this.#grant(ttlSeconds));
    return (await this.#leases.get(ttlSeconds)!).id;
  }

  async #grant(ttlSeconds: number): Promise<Lease> {
    const reuse = Math.min(longestReuse, Math.floor(ttlSeconds * reuseShare));
    const now = this.#clock.monotonic();
    const { id } = await this.#client.call('Lease', 'LeaseGrant', { ttl: ttlSeconds + reuse, id: 0 }, true);
    return { id, until: now + reuse * 1000 };
  }
}
