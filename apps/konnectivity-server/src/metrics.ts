import type { Metrics } from '@annex/runtime';
import { type StreamCounts, streamCounts } from '@annex/tunnel';
import { type AgentPool, type Strategy } from './agents/agent-pool.ts';
import { type LeaseMetrics, leaseMetrics } from './leases/lease-metrics.ts';
import type { DialFailure } from './tunnel/frontend.ts';

/** In seconds; source: apiserver-network-proxy. */
const buckets = [0.000_001, 0.000_01, 0.0001, 0.005, 0.025, 0.1, 0.5, 2.5, 12.5];

const prefix = 'konnectivity_network_proxy_server';

/** What the parts of the server report. */
export interface ServerMetrics {
  dialed(seconds: number): void;
  dialFailed(reason: DialFailure): void;
  /** A client took a packet of an agent. */
  frontendWrote(seconds: number): void;
  grpcStreams: { opened(): void; closed(): void };
  /** Packets of API servers, and of agents. */
  frontendCounts: StreamCounts;
  agentCounts: StreamCounts;
  leases: LeaseMetrics;
  connectOpened(socket: { once(event: 'close', listener: () => void): unknown }): void;
}

/** Registers the metrics of apiserver-network-proxy. */
export function createServerMetrics(
  metrics: Metrics,
  agents: AgentPool,
  strategies: readonly Strategy[],
): ServerMetrics {
  let frontendStreams = 0;
  let connects = 0;
  const dials = metrics.histogram(
    `${prefix}_dial_duration_seconds`,
    'Time of a dial at an agent.',
    [],
    buckets,
  );
  const writes = metrics.histogram(
    `${prefix}_frontend_write_duration_seconds`,
    'Time until a client takes a packet of an agent.',
    [],
    buckets,
  );
  const failures = metrics.counter(`${prefix}_dial_failure_count`, 'Dials that failed.', ['reason']);
  metrics.gauge(`${prefix}_grpc_connections`, 'Streams that are open.', ['service_method'], (gauge) => {
    gauge.set({ service_method: 'Connect' }, agents.size);
    gauge.set({ service_method: 'Proxy' }, frontendStreams);
  });
  const sum = (of: 'connections' | 'pendingDials') =>
    agents.all.reduce((total, agent) => total + agent[of], 0);
  const gauge = (name: string, help: string, read: () => number) =>
    metrics.gauge(`${prefix}_${name}`, help, [], (each) => each.set({}, read()));
  gaugeHeld(metrics, agents);
  gauge('http_connections', 'CONNECT requests that are open.', () => connects);
  gauge('pending_backend_dials', 'Dials that wait for an agent.', () => sum('pendingDials'));
  gauge('established_connections', 'Connections that are open.', () => sum('connections'));
  gauge('ready_backend_connections', 'Agents that are connected.', () => agents.size);
  metrics.gauge(
    `${prefix}_ready_backends`,
    'Agents that a strategy can choose.',
    ['proxy_strategy'],
    (each) => {
      for (const strategy of strategies) each.set({ proxy_strategy: strategy }, agents.count(strategy));
    },
  );
  return {
    dialed: (seconds) => dials.observe({}, seconds),
    dialFailed: (reason) => failures.inc({ reason }),
    frontendWrote: (seconds) => writes.observe({}, seconds),
    frontendCounts: streamCounts(metrics, { program: 'server', sent: 'to_client', received: 'from_client' }),
    agentCounts: streamCounts(metrics, { program: 'server', sent: 'to_agent', received: 'from_agent' }),
    leases: leaseMetrics(metrics),
    grpcStreams: { opened: () => void frontendStreams++, closed: () => void frontendStreams-- },
    connectOpened(socket) {
      connects++;
      socket.once('close', () => void connects--);
    },
  };
}

/** Streams that are not read. As upstream, there is no series before the first one. */
function gaugeHeld(metrics: Metrics, agents: AgentPool): void {
  let wasHeld = false;
  metrics.gauge(
    `${prefix}_full_receive_channels`,
    'Streams that are not read, because a client does not read.',
    ['service_method'],
    (gauge) => {
      const held = agents.all.filter(({ isHeld }) => isHeld).length;
      wasHeld ||= held > 0;
      if (wasHeld) gauge.set({ service_method: 'Connect' }, held);
    },
  );
}
