import { randomUUID } from 'node:crypto';
import { createLifecycle, type Lifecycle, type Logger, type Metrics, type Validated } from '@annex/runtime';
import { endpointRules } from './endpoints/endpoint-rules.ts';
import { createAgentMetrics } from './metrics.ts';
import { healthPages, Monitor } from './monitor.ts';
import type { KonnectivityAgentConfig } from './options.ts';
import { ServerConnections } from './servers/server-connections.ts';

/** Dependencies of a Konnectivity agent. */
export interface KonnectivityAgentDeps {
  log: Logger;
  metrics: Metrics;
}

/** The agent of a tunnel. */
export interface KonnectivityAgent extends Lifecycle {
  /** `host:port` of the health port; known after the start. */
  readonly health: string;
}

/** Creates a Konnectivity agent. Starting it throws OperatorErrors for errors that the operator can fix. */
export function createKonnectivityAgent(
  { log, metrics }: KonnectivityAgentDeps,
  config: Validated<KonnectivityAgentConfig>,
): KonnectivityAgent {
  const measured = createAgentMetrics(metrics, {
    servers: () => servers.size,
    knownServers: () => servers.known,
    connections: () => servers.connections,
  });
  const servers = new ServerConnections({
    hosts: config.proxyServerHost,
    port: config.proxyServerPort,
    identity: identityOf(config),
    syncIntervalMs: config.syncInterval,
    syncIntervalCapMs: config.syncIntervalCap,
    syncForever: config.syncForever,
    keepAlive: { intervalMs: config.keepaliveTime, timeoutMs: config.keepaliveTimeout },
    serverCount: (announced) => announced,
    rules: endpointRules(config.allowDestinations),
    metrics: measured,
    log,
  });
  const pages = healthPages(metrics, () => servers.size > 0);
  const health = new Monitor(pages, config.healthServerHost, config.healthServerPort);
  const admin = new Monitor(pages, config.adminBindAddress, config.adminServerPort);
  const lifecycle = createLifecycle(
    [
      { name: 'health', start: () => health.start(), stop: () => health.stop() },
      { name: 'admin', start: () => admin.start(), stop: () => admin.stop() },
      {
        name: 'servers',
        start: () => servers.start(),
        stop: () => servers.stop(config.gracefulShutdownTimeout),
      },
    ],
    { deadline: config.gracefulShutdownTimeout + stopMs },
  );
  return {
    get health() {
      return health.address;
    },
    ...lifecycle,
  };
}

/** Milliseconds for the end of everything, after connections had their time. */
const stopMs = 5_000;

const identityOf = (config: Validated<KonnectivityAgentConfig>) => ({
  id: config.agentId ?? randomUUID(),
  identifiers: config.agentIdentifiers,
  caFile: config.caCert,
  certFile: config.agentCert,
  keyFile: config.agentKey,
  tokenFile: config.serviceAccountTokenPath,
  alpnProtocols: config.alpnProto,
});
