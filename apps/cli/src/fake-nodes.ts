import type { PkiFiles } from '@annex/auth';
import { createFakeNodes, type FakeNodes } from '@annex/fake-nodes';
import { loopbackClient } from '@annex/process';
import type { Part } from '@annex/runtime';
import type { ServerDeps } from '@annex/server';
import type { UpConfig } from './up-options.ts';

/** Dependencies of the fake nodes of one process. */
export interface FakeNodesOptions {
  config: UpConfig;
  deps: Pick<ServerDeps, 'clock' | 'log' | 'metrics'>;
  pki: Pick<PkiFiles, 'ca' | 'admin'>;
  /** The server name of the certificate that the CA issued. */
  tlsServerName: string | undefined;
  /** The port that the server listens on. */
  port(): number;
}

/** Runs fake nodes as clients of the server in the same process. Invalid files fail the start. */
export function fakeNodesPart({ config, deps, pki, port, tlsServerName }: FakeNodesOptions): Part {
  let fakeNodes: FakeNodes | undefined;
  return {
    name: 'fake-nodes',
    async start() {
      const { bindAddress, fakeNodes: selected } = config;
      if (selected === '') return;
      const user = 'annex:fake-nodes';
      const client = await loopbackClient({ bindAddress, port: port(), pki, tlsServerName, user });
      fakeNodes = createFakeNodes(deps, config, client);
      await fakeNodes.start();
    },
    async stop() {
      await fakeNodes?.stop();
    },
  };
}
