import { randomUUID } from 'node:crypto';
import {
  createLifecycle,
  createLiveFiles,
  healthPages,
  type Lifecycle,
  type Logger,
  type Metrics,
  type Page,
  type Part,
  plainText,
  readOptionalFile,
  type Validated,
} from '@annex/runtime';
import { AgentPool, type Strategy } from './agents/agent-pool.ts';
import { agentsPage } from './agents-page.ts';
import { drained } from './drained.ts';
import type { LeaseSetting, ServerLease } from './leases/server-lease.ts';
import { createServerMetrics } from './metrics.ts';
import type { KonnectivityServerConfig } from './options.ts';
import { type Addresses, Ports } from './ports.ts';

/** Dependencies of a Konnectivity server. */
export interface KonnectivityServerDeps {
  log: Logger;
  metrics: Metrics;
  /** Bytes that wait for all clients. Default 256 MiB. */
  maxUnreadClientsBytes?: number;
}

/** The server of a tunnel. */
export interface KonnectivityServer extends Lifecycle {
  /** Known after the start. */
  readonly addresses: Readonly<Addresses>;
}

/** Milliseconds for the end of everything, after connections had their time. */
const stopMs = 5_000;

/** Creates a Konnectivity server. Starting it throws OperatorErrors for errors that the operator can fix. */
export function createKonnectivityServer(
  { log, metrics, maxUnreadClientsBytes }: KonnectivityServerDeps,
  config: Validated<KonnectivityServerConfig>,
): KonnectivityServer {
  const strategies = config.proxyStrategies as readonly Strategy[];
  const agents = new AgentPool(strategies);
  const files = createLiveFiles(log);
  const serverId = config.serverId ?? randomUUID();
  const measured = createServerMetrics(metrics, agents, strategies);
  const ports = new Ports({
    config,
    agents,
    serverId,
    files,
    log,
    measured,
    maxUnreadClientsBytes,
  });
  let isStopping = false;
  const ready: Page = async () => {
    if (isStopping) return [500, plainText, 'the server is stopping'];
    return agents.size === 0 ? [500, plainText, 'no connection to any proxy agent'] : [200, plainText, 'ok'];
  };
  const part = {
    name: 'ports',
    async start() {
      // Files that this configuration does not use must exist too, as in upstream: a wrong path is an error of the operator.
      await Promise.all([config.kubeconfig, config.serverCaCert].map(readOptionalFile));
      const pages = healthPages(metrics, ready);
      await ports.openMonitors(pages, new Map([...pages, ['/debug/agents', agentsPage(agents)]]));
      await ports.openAgents();
      await ports.openFrontend();
    },
    async stop() {
      isStopping = true;
      ports.refuse();
      await drained(agents, config.gracefulShutdownTimeout);
      files.close();
      await ports.end();
    },
  };
  const deadline = config.gracefulShutdownTimeout + stopMs;
  return {
    addresses: ports.addresses,
    ...createLifecycle([part, leasePart(config, { serverId, log, metrics: measured.leases })], { deadline }),
  };
}

/** Keeps the Lease of the server, if it is to have one. It is removed first, so that agents look for this server no more. */
function leasePart(
  config: Validated<KonnectivityServerConfig>,
  setting: Pick<LeaseSetting, 'serverId' | 'log' | 'metrics'>,
): Part {
  const { enableLeaseController, leaseNamespace: namespace, leaseLabel: label, kubeconfig } = config;
  let lease: ServerLease | undefined;
  return {
    name: 'lease',
    async start() {
      if (!enableLeaseController) return;
      // Loaded here, as the client of the API server takes memory that most servers do not need.
      const [{ apiClient }, { ServerLease }] = await Promise.all([
        import('./api-client.ts'),
        import('./leases/server-lease.ts'),
      ]);
      lease = new ServerLease(await apiClient(kubeconfig), { ...setting, namespace, label });
      lease.start();
    },
    stop: () => lease?.stop(),
  };
}
