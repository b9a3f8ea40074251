import { tableOf } from '@annex/machinery';
import { type CertificateAndKey, issueClientCertificate, type PkiFiles, privilegedGroup } from '@annex/auth';
import { type Controllers, createControllers } from '@annex/controllers';
import type { Part } from '@annex/runtime';
import type { ServerDeps } from '@annex/server';
import type { UpConfig } from './up-options.ts';

/** What the controllers of one process need to know of it. */
export interface ControllersOptions {
  config: Pick<UpConfig, 'bindAddress' | 'controllers'>;
  deps: Pick<ServerDeps, 'clock' | 'log' | 'metrics'>;
  pki: Pick<PkiFiles, 'ca' | 'admin'>;
  /** PEM of the key that signs the tokens of service accounts. */
  serviceAccountKey: string;
  /** Where the server listens. */
  port: number;
}

/** The controllers, as clients of the server in the same process. They begin when it is ready, without delaying that. */
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
  config,
  deps,
  pki,
  port,
  serviceAccountKey,
}: ControllersOptions): Promise<Controllers> {
  const client = {
    server: `https://${loopback(config.bindAddress)}:${port}`,
    ca: pki.ca.cert,
    tlsServerName: 'localhost',
    ...(await identity(pki)),
  };
  const controllers = createControllers(deps, {
    client,
    controllers: config.controllers,
    rootCa: pki.ca.cert,
    serviceAccountKey,
  });
  await controllers.start();
  return controllers;
}

/** A certificate for the administrator's key, which saves making another one; the administrator's own without the authority's key. */
async function identity({ ca, admin }: ControllersOptions['pki']): Promise<CertificateAndKey> {
  if (ca.key === undefined) return { cert: admin.cert, key: admin.key };
  const user = { user: 'system:kube-controller-manager', groups: [privilegedGroup] };
  return await issueClientCertificate({ cert: ca.cert, key: ca.key }, user, { key: admin.key });
}

const unspecified = tableOf({ '0.0.0.0': '127.0.0.1', '::': '[::1]' });

function loopback(bindAddress: string): string {
  return unspecified.get(bindAddress) ?? (bindAddress.includes(':') ? `[${bindAddress}]` : bindAddress);
}
