import type { Metrics } from '@annex/runtime';

const prefix = 'konnectivity_network_proxy_server';

/** In seconds; source: apiserver-network-proxy. */
const buckets = [0.000_001, 0.000_01, 0.0001, 0.005, 0.025, 0.1, 0.5, 2.5, 12.5];

/** The requests of leases that are measured. */
export type LeaseVerb = 'list' | 'delete';

/** What is measured about the leases of servers. */
export interface LeaseMetrics {
  /** A request has ended, with this status code: 0 without a response. */
  requested(verb: LeaseVerb, code: number, reason: string, seconds: number): void;
  /** An expired lease was removed. */
  culled(): void;
}

/** Registers apiserver-network-proxy's metrics of leases. */
export function leaseMetrics(metrics: Metrics): LeaseMetrics {
  const metricsOf = (verb: string) => ({
    total: metrics.counter(`${prefix}_lease_${verb}_total`, `Requests that ${verb} leases.`, [
      'http_status_code',
      'reason',
    ]),
    seconds: metrics.histogram(
      `${prefix}_lease_${verb}_latency_seconds`,
      `Time of requests that ${verb} leases.`,
      ['http_status_code'],
      buckets,
    ),
  });
  const byVerb = { list: metricsOf('list'), delete: metricsOf('delete') };
  const culled = metrics.counter(`${prefix}_culled_leases_count`, 'Expired leases that were removed.');
  return {
    culled: () => culled.inc(),
    requested(verb, code, reason, latency) {
      const { seconds, total } = byVerb[verb];
      const labels = { http_status_code: String(code) };
      total.inc({ ...labels, reason });
      seconds.observe(labels, latency);
    },
  };
}
