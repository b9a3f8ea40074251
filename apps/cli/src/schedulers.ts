import type { PkiFiles } from '@annex/auth';
import { loopbackClient } from '@annex/process';
import type { Part } from '@annex/runtime';
import { createSchedulers } from '@annex/scheduler';
import type { ServerDeps } from '@annex/server';
import type { UpConfig } from './up-options.ts';

/** Dependencies of the schedulers of one process. */
export interface SchedulersOptions {
  config: UpConfig;
  deps: Pick<ServerDeps, 'clock' | 'log' | 'metrics'>;
  pki: Pick<PkiFiles, 'ca' | 'admin'>;
  /** The server name of the certificate that the CA issued. */
  tlsServerName: string | undefined;
  /** The port that the server listens on. */
  port(): number;
}

/** Runs schedulers as clients of the server in the same process. Invalid files fail the start. */
export function schedulersPart({ config, deps, pki, port, tlsServerName }: SchedulersOptions): Part {
  let schedulers: Part | undefined;
  return {
    name: 'schedulers',
    async start() {
      const { bindAddress, schedulers: selected } = config;
      if (selected.length === 0) return;
      const user = 'system:kube-scheduler';
      const client = await loopbackClient({ bindAddress, port: port(), pki, tlsServerName, user });
      schedulers = await createSchedulers(deps, config, client);
      await schedulers.start?.();
    },
    async stop() {
      await schedulers?.stop?.();
    },
  };
}
