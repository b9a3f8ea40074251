import type { PkiCertificates } from '@annex/auth';
import { type Controllers, createControllers, leadershipOf } from '@annex/controllers';
import type { Part } from '@annex/runtime';
import { loopbackClient } from '@annex/process';
import type { ServerDeps } from '@annex/server';
import type { UpConfig } from './up-options.ts';

/** Dependencies of the controllers of one process. */
export interface ControllersOptions {
  config: UpConfig;
  deps: Pick<ServerDeps, 'clock' | 'log' | 'metrics'>;
  pki: Pick<PkiCertificates, 'ca' | 'admin'>;
  /** PEM of the key that signs service-account tokens. */
  serviceAccountKey: string;
  /** The server name of the certificate that the CA issued. */
  tlsServerName: string | undefined;
  /** The port that the server listens on. */
  port(): number;
}

/**
 * Milliseconds that the deletion of a namespace waits if there are replicas: they may create objects in it until they see that it
 * terminates. kube-controller-manager waits for 5 seconds.
 */
const replicasDelayMs = 2_000;

/**
 * Runs the controllers as clients of the server in the same process. They start when the server is ready, and do not delay it. Among replicas
 * on one etcd, only the leader runs them; one that loses its lease stops them and applies for it again.
 */
export function controllersPart(options: ControllersOptions): Part {
  const { controllers: selected, etcdServers, leaderElect } = options.config;
  let stopping = false;
  let current: Controllers | undefined;
  let starting: Promise<void> | undefined;
  const run = async (): Promise<void> => {
    const replicated = etcdServers.length > 0;
    const created = await create(options, {
      ...(replicated ? { namespaceDeletionDelayMs: replicasDelayMs } : {}),
      ...(replicated && leaderElect
        ? { leaderElection: leadershipOf(options.config, () => (starting = again())) }
        : {}),
    });
    if (stopping) return;
    current = created;
    await current.start();
  };
  const failed = (error: unknown) =>
    options.deps.log.error('the controllers did not start', { error: String(error) });
  const again = async () => {
    await current?.stop();
    await run().catch(failed);
  };
  return {
    name: 'controllers',
    start() {
      if (selected.length === 0) return;
      starting = new Promise<void>((resolve) => setImmediate(resolve)).then(run).catch(failed);
    },
    async stop() {
      stopping = true;
      await starting;
      await current?.stop();
    },
  };
}

async function create(
  {
    config: { bindAddress, controllers: selected },
    deps,
    pki,
    port,
    serviceAccountKey,
    tlsServerName,
  }: ControllersOptions,
  replication: Pick<Parameters<typeof createControllers>[1], 'leaderElection' | 'namespaceDeletionDelayMs'>,
): Promise<Controllers> {
  const user = 'system:kube-controller-manager';
  return createControllers(deps, {
    client: await loopbackClient({ bindAddress, port: port(), pki, tlsServerName, user }),
    controllers: selected,
    rootCa: pki.ca.cert,
    serviceAccountKey,
    ...replication,
  });
}
