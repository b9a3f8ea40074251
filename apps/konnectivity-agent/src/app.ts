import { randomUUID } from 'node:crypto';
import {
  createLifecycle,
  createPageServer,
  healthPages,
  type HostPort,
  type Lifecycle,
  listen,
  type Listening,
  type Logger,
  type Metrics,
  type Page,
  type Pages,
  type Part,
  plainText,
  readOptionalFile,
  type Validated,
} from '@annex/runtime';
import type { MonitorConfig } from '@annex/tunnel';
import { endpointRules } from './endpoints/endpoint-rules.ts';
import type { LeaseCounter, LeaseCounterSetting } from './leases/lease-counter.ts';
import { createAgentMetrics } from './metrics.ts';
import type { KonnectivityAgentConfig } from './options.ts';
import { checkFiles } from './servers/check-files.ts';
import type { AgentIdentity } from './servers/connect-server.ts';
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
  let leases: LeaseCounter | undefined;
  const identity = identityOf(config);
  const servers = new ServerConnections({
    hosts: config.proxyServerHost,
    port: config.proxyServerPort,
    identity,
    syncIntervalMs: config.syncInterval,
    syncIntervalCapMs: config.syncIntervalCap,
    syncForever: config.syncForever,
    keepAlive: { intervalMs: config.keepaliveTime, timeoutMs: config.keepaliveTimeout },
    serverCount: (announced) => serverCount(announced, leases?.count, config.serverCountSource),
    rules: endpointRules(config.allowDestinations),
    metrics: measured,
    log,
  });
  const ready = readiness(() => servers.size > 0);
  const monitors = new Monitors(healthPages(metrics, ready));
  const lifecycle = createLifecycle(
    [
      filesPart(identity, config.kubeconfig),
      {
        name: 'monitors',
        start: () => monitors.start(config),
        stop: () => monitors.stop(),
      },
      {
        name: 'leases',
        async start() {
          leases = await leaseCounter(config, { log, metrics: measured });
          await leases?.start();
        },
        stop: () => leases?.stop(),
      },
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
      return monitors.health;
    },
    ...lifecycle,
  };
}

/** Ends the start if a file is missing or invalid. */
const filesPart = (identity: AgentIdentity, kubeconfig: string | undefined): Part => ({
  name: 'files',
  async start() {
    await checkFiles(identity);
    await readOptionalFile(kubeconfig);
  },
  stop: () => undefined,
});

/** The health port and the admin port, which have the same pages. */
class Monitors {
  readonly #pages: Pages;
  readonly #listening: Listening[] = [];

  constructor(pages: Pages) {
    this.#pages = pages;
  }

  get health(): string {
    return this.#listening[0]?.address ?? '';
  }

  /** Throws OperatorError. */
  async start({ healthHost, healthPort, adminHost, adminPort }: MonitorConfig): Promise<void> {
    await this.#open({ host: healthHost, port: healthPort });
    await this.#open({ host: adminHost, port: adminPort });
  }

  async stop(): Promise<void> {
    await Promise.all(this.#listening.map((listening) => listening.end()));
  }

  async #open(place: HostPort): Promise<void> {
    this.#listening.push(await listen(createPageServer(this.#pages), place));
  }
}

/** Ready while a server is connected. */
const readiness =
  (isConnected: () => boolean): Page =>
  async (isVerbose) => {
    if (!isConnected())
      return [503, plainText, '[+]ping ok\n[-]server-connected failed: no servers connected\n'];
    return [200, plainText, isVerbose ? '[+]ping ok\n[+]server-connected ok\ncheck passed\n' : 'ok'];
  };

/** The number of servers to connect to. */
function serverCount(announced: number, leases: number | undefined, source: string): number {
  if (leases === undefined) return announced;
  return source === 'max' ? Math.max(announced, leases) : leases;
}

async function leaseCounter(
  config: Validated<KonnectivityAgentConfig>,
  setting: Pick<LeaseCounterSetting, 'log' | 'metrics'>,
): Promise<LeaseCounter | undefined> {
  const { countServerLeases, kubeconfig, leaseNamespace: namespace, leaseLabel: label } = config;
  if (!countServerLeases) return undefined;
  // Loaded here, as the client of the API server takes memory that most agents do not need.
  const { openLeaseCounter } = await import('./leases/open-lease-counter.ts');
  return await openLeaseCounter(kubeconfig, { ...setting, namespace, label });
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
