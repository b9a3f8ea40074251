import { StatusError } from '@annex/machinery';
import type { Metrics } from '@annex/runtime';

const prefix = 'konnectivity_network_proxy_server';

/** In seconds; source: apiserver-network-proxy. */
const buckets = [0.000_001, 0.000_01, 0.0001, 0.005, 0.025, 0.1, 0.5, 2.5, 12.5];

/** What is measured about the leases of servers. */
export interface LeaseMetrics {
  /** Runs a request, and counts it by its status code: 0 without a response. */
  measured<T>(verb: 'list' | 'delete', request: () => Promise<T>): Promise<T>;
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
    async measured(verb, request) {
      const { seconds, total } = byVerb[verb];
      const start = performance.now();
      const count = (code: number, reason: string) => {
        const labels = { http_status_code: String(code) };
        total.inc({ ...labels, reason });
        seconds.observe(labels, (performance.now() - start) / 1000);
      };
      try {
        const result = await request();
        count(200, '');
        return result;
      } catch (error) {
        if (error instanceof StatusError) count(error.code, error.status.reason ?? '');
        else count(0, '');
        throw error;
      }
    },
  };
}
