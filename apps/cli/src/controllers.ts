import type { PkiFiles } from '@annex/auth';
import { type Controllers, createControllers } from '@annex/controllers';
import type { Part } from '@annex/runtime';
import { loopbackClient } from '@annex/process';
import type { ServerDeps } from '@annex/server';
import type { UpConfig } from './up-options.ts';

/** Dependencies of the controllers of one process. */
export interface ControllersOptions {
  config: Pick<UpConfig, 'bindAddress' | 'controllers'>;
  deps: Pick<ServerDeps, 'clock' | 'log' | 'metrics'>;
  pki: Pick<PkiFiles, 'ca' | 'admin'>;
  /** PEM of the key that signs service-account tokens. */
  serviceAccountKey: string;
  /** The server name of the certificate that the CA issued. */
  tlsServerName: string | undefined;
  /** The port that the server listens on. */
  port(): number;
}

/** Runs the controllers as clients of the server in the same process. They start when the server is ready, and do not delay it. */
export function controllersPart(options: ControllersOptions): Part {
  let starting: Promise<Controllers> | undefined;
  return {
    name: 'controllers',
    start() {
      if (options.config.controllers.length === 0) return;
      starting = new Promise<void>((resolve) => setImmediate(resolve)).then(() => startAll(options));
      starting.catch((error: unknown) =>
        options.deps.log.error('the controllers did not start', { error: String(error) }),
      );
    },
    async stop() {
      const controllers = await starting?.catch(() => undefined);
      await controllers?.stop();
    },
  };
}

async function startAll({
  config: { bindAddress, controllers: selected },
  deps,
  pki,
  port,
  serviceAccountKey,
  tlsServerName,
}: ControllersOptions): Promise<Controllers> {
  const user = 'system:kube-controller-manager';
  const controllers = createControllers(deps, {
    client: await loopbackClient({ bindAddress, port: port(), pki, tlsServerName, user }),
    controllers: selected,
    rootCa: pki.ca.cert,
    serviceAccountKey,
  });
  await controllers.start();
  return controllers;
}
