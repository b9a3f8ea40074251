import type { Client } from '@annex/client';
import { type KubeObject, StatusError } from '@annex/machinery';
import type { Logger } from '@annex/runtime';
import type { AgentMetrics } from '../metrics.ts';

/** Milliseconds between two counts. Source: none; upstream follows a watch. */
const countMs = 5_000;

/** Milliseconds for one request of leases. */
export const leaseListTimeoutMs = 5_000;

interface Lease extends KubeObject {
  spec?: { leaseDurationSeconds?: number; renewTime?: string };
}

/** Where the leases of servers are. */
export interface LeaseCounterSetting {
  namespace: string;
  /** `key=value`. */
  label: string;
  log: Logger;
  metrics: Pick<AgentMetrics, 'leasesListed'>;
}

/** Counts the servers by their Leases. */
export class LeaseCounter {
  readonly #client: Pick<Client, 'json'>;
  readonly #setting: LeaseCounterSetting;
  #timer: NodeJS.Timeout | undefined;
  #leases: readonly Lease[] = [];

  constructor(client: Pick<Client, 'json'>, setting: LeaseCounterSetting) {
    this.#client = client;
    this.#setting = setting;
  }

  /** Leases that have not expired; none counts as one server. */
  get count(): number {
    const now = Date.now();
    return Math.max(1, this.#leases.filter((lease) => expiryOf(lease) > now).length);
  }

  async start(): Promise<void> {
    this.#timer = setInterval(() => void this.#read(), countMs).unref();
    await this.#read();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  async #read(): Promise<void> {
    const { namespace, label, log, metrics } = this.#setting;
    const path = `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases?labelSelector=${encodeURIComponent(label)}`;
    const start = performance.now();
    const listed = (code: number, reason: string) =>
      metrics.leasesListed(code, reason, (performance.now() - start) / 1000);
    try {
      this.#leases = (
        await this.#client.json<{ items: Lease[] }>({ path, timeoutMs: leaseListTimeoutMs })
      ).items;
      listed(200, '');
    } catch (error) {
      if (error instanceof StatusError) listed(error.code, error.status.reason ?? '');
      else listed(0, '');
      log.warn('the leases of servers could not be read', { error });
    }
  }
}

const expiryOf = ({ spec }: Lease): number =>
  Date.parse(spec?.renewTime ?? '') + (spec?.leaseDurationSeconds ?? 0) * 1000;
