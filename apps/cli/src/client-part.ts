import type { PkiCertificates } from '@annex/auth';
import type { ClientConfig } from '@annex/client';
import { loopbackClient } from '@annex/process';
import type { Part } from '@annex/runtime';
import type { ServerDeps } from '@annex/server';
import type { UpConfig } from './up-options.ts';

/** Dependencies of a part that is a client of the server in the same process. */
export interface ClientPartOptions {
  config: UpConfig;
  deps: Pick<ServerDeps, 'clock' | 'log' | 'metrics'>;
  pki: Pick<PkiCertificates, 'ca' | 'admin'>;
  /** The server name of the certificate that the CA issued. */
  tlsServerName: string | undefined;
  /** The port that the server listens on. */
  port(): number;
}

/** What runs, as which user. */
interface ClientPart {
  name: string;
  user: string;
  isSelected: boolean;
  /** True if the user has roles of its own, which are used with RBAC. Default: the user is privileged. */
  hasRoles?: boolean;
  create(client: ClientConfig): Pick<Part, 'start' | 'stop'> | Promise<Pick<Part, 'start' | 'stop'>>;
}

/** Runs a client of the server in the same process. An error of `create` fails the start. */
export function clientPart(
  { config, pki, port, tlsServerName }: ClientPartOptions,
  { name, user, isSelected, hasRoles = false, create }: ClientPart,
): Part {
  let running: Pick<Part, 'start' | 'stop'> | undefined;
  return {
    name,
    async start() {
      if (!isSelected) return;
      const { authorizationConfig, authorizationMode = ['RBAC'], bindAddress } = config;
      const usesRoles = authorizationConfig === undefined && authorizationMode.includes('RBAC');
      const isPrivileged = !(hasRoles && usesRoles);
      const access = { bindAddress, port: port(), pki, tlsServerName, user, isPrivileged };
      running = await create(await loopbackClient(access));
      await running.start?.();
    },
    async stop() {
      await running?.stop?.();
    },
  };
}
