import type { Client } from '@annex/client';
import { formatMicroTime, isReason, type KubeObject, StatusError } from '@annex/machinery';
import { type Clock, type Logger, systemClock } from '@annex/runtime';
import { parseLeaseLabels } from '@annex/tunnel';
import type { LeaseMetrics, LeaseVerb } from './lease-metrics.ts';

/** Seconds after which a lease that is not renewed says that its server is gone. Source: apiserver-network-proxy. */
const durationSeconds = 30;

/** Milliseconds between renewals. Source: apiserver-network-proxy. */
const renewMs = 15_000;

/** Milliseconds for one request of a lease. */
export const leaseRequestTimeoutMs = 5_000;

/** A Lease, as servers write it. */
interface Lease extends KubeObject {
  spec?: { holderIdentity?: string; leaseDurationSeconds?: number; renewTime?: string };
}

/** The lease of a server. */
export interface LeaseSetting {
  serverId: string;
  namespace: string;
  /** `key=value`, several with commas between them. */
  label: string;
  log: Logger;
  metrics: LeaseMetrics;
  clock?: Clock;
}

/** Keeps the Lease by which agents count a server, and collects those of servers that are gone. */
export class ServerLease {
  readonly #client: Pick<Client, 'json'>;
  readonly #setting: LeaseSetting;
  readonly #clock: Clock;
  readonly #path: string;
  readonly #name: string;
  #timer: NodeJS.Timeout | undefined;
  #pending: Promise<void> = Promise.resolve();

  constructor(client: Pick<Client, 'json'>, setting: LeaseSetting) {
    this.#client = client;
    this.#setting = setting;
    this.#clock = setting.clock ?? systemClock;
    this.#path = `/apis/coordination.k8s.io/v1/namespaces/${setting.namespace}/leases`;
    this.#name = `konnectivity-proxy-server-${setting.serverId}`;
  }

  start(): void {
    this.#timer = setInterval(() => this.#renew(), renewMs).unref();
    this.#renew();
  }

  /** Removes the lease, so that agents stop looking for this server at once. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#pending;
    await this.#try(() => this.#delete(this.#name));
  }

  #renew(): void {
    this.#pending = this.#pending.then(async () => {
      await this.#try(() => this.#write());
      await this.#try(() => this.#collect());
    });
  }

  async #try(run: () => Promise<unknown>): Promise<void> {
    try {
      await run();
    } catch (error) {
      if (!isReason(error, 'NotFound')) this.#setting.log.warn('a lease could not be written', { error });
    }
  }

  async #write(): Promise<void> {
    const { serverId: holderIdentity, label } = this.#setting;
    await this.#request({
      method: 'PATCH',
      path: `${this.#path}/${this.#name}?fieldManager=konnectivity-server&force=true`,
      headers: { 'content-type': 'application/apply-patch+yaml' },
      body: {
        apiVersion: 'coordination.k8s.io/v1',
        kind: 'Lease',
        metadata: { name: this.#name, labels: parseLeaseLabels(label) },
        spec: {
          holderIdentity,
          leaseDurationSeconds: durationSeconds,
          renewTime: formatMicroTime(this.#clock.now()),
        },
      },
    });
  }

  async #collect(): Promise<void> {
    const path = `${this.#path}?labelSelector=${encodeURIComponent(this.#setting.label)}`;
    const { metrics } = this.#setting;
    const { items } = await this.#measured('list', () => this.#request<{ items: Lease[] }>({ path }));
    const now = this.#clock.now();
    for (const { metadata, spec } of items) {
      const expires = Date.parse(spec?.renewTime ?? '') + (spec?.leaseDurationSeconds ?? 0) * 1000;
      // An interval of grace: clocks differ a little.
      if (!(expires + renewMs < Number(now))) continue;
      await this.#try(async () => {
        await this.#delete(metadata.name ?? '');
        metrics.culled();
      });
    }
  }

  #delete(name: string): Promise<unknown> {
    const path = `${this.#path}/${name}`;
    return this.#measured('delete', () => this.#request({ method: 'DELETE', path }));
  }

  async #measured<T>(verb: LeaseVerb, request: () => Promise<T>): Promise<T> {
    const start = performance.now();
    const count = (code: number, reason: string) =>
      this.#setting.metrics.requested(verb, code, reason, (performance.now() - start) / 1000);
    try {
      const result = await request();
      count(200, '');
      return result;
    } catch (error) {
      if (error instanceof StatusError) count(error.code, error.status.reason ?? '');
      else count(0, '');
      throw error;
    }
  }

  #request<T>(request: Parameters<Client['json']>[0]): Promise<T> {
    return this.#client.json<T>({ ...request, timeoutMs: leaseRequestTimeoutMs });
  }
}
