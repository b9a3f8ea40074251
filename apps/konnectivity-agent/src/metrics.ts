import type { Metrics } from '@annex/runtime';
import { type StreamCounts, streamCounts } from '@annex/tunnel';

const prefix = 'konnectivity_network_proxy_agent';

/** In seconds; source: apiserver-network-proxy. */
const dialBuckets = [0.005, 0.025, 0.1, 0.5, 2.5, 10, 30];

/** What the parts of the agent report. */
export interface AgentMetrics {
  dialed(seconds: number): void;
  dialFailed(reason: 'timeout' | 'unknown'): void;
  /** A stream to a server broke. */
  serverLost(): void;
  counts: StreamCounts;
  /** The leases of servers were listed: the status code is 0 without a response. */
  leasesListed(code: number, reason: string, seconds: number): void;
}

/** The numbers that are read when metrics are rendered. */
export interface AgentCounts {
  servers(): number;
  knownServers(): number;
  connections(): number;
}

/** Registers the metrics of apiserver-network-proxy's agent. */
export function createAgentMetrics(metrics: Metrics, counts: AgentCounts): AgentMetrics {
  const dials = metrics.histogram(
    `${prefix}_dial_duration_seconds`,
    'Time of a connection to a destination.',
    [],
    dialBuckets,
  );
  const failures = metrics.counter(
    `${prefix}_endpoint_dial_failure_total`,
    'Connections to destinations that failed.',
    ['reason'],
  );
  const lost = metrics.counter(
    `${prefix}_server_connection_failure_count`,
    'Streams to servers that broke.',
    ['direction'],
  );
  const lists = metrics.counter(`${prefix}_lease_lists_total`, 'Requests that list leases.', [
    'http_response_code',
    'reason',
  ]);
  // Without a sample, as in apiserver-network-proxy, which counts its watches as lists.
  metrics.counter(`${prefix}_lease_watches_total`, 'Requests that watch leases.', [
    'http_response_code',
    'reason',
  ]);
  const listSeconds = metrics.histogram(
    `${prefix}_lease_list_latency_seconds`,
    'Time of requests that list leases.',
    ['http_response_code'],
    dialBuckets,
  );
  const gauge = (name: string, help: string, read: () => number) =>
    metrics.gauge(`${prefix}_${name}`, help, [], (each) => each.set({}, read()));
  gauge('open_server_connections', 'Servers that the agent is connected to.', counts.servers);
  gauge('known_server_count', 'Servers that the agent knows of.', counts.knownServers);
  gauge('open_endpoint_connections', 'Connections to destinations.', counts.connections);
  return {
    dialed: (seconds) => dials.observe({}, seconds),
    dialFailed: (reason) => failures.inc({ reason }),
    serverLost: () => lost.inc({ direction: 'from_server' }),
    counts: streamCounts(metrics, { program: 'agent', sent: 'from_agent', received: 'to_agent' }),
    leasesListed(code, reason, seconds) {
      const labels = { http_response_code: String(code) };
      lists.inc({ ...labels, reason });
      listSeconds.observe(labels, seconds);
    },
  };
}
