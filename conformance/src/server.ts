import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startProcess, tempFolder } from '@annex/testkit';

/** The server that cases are played against. */
export interface PlayedServer extends AsyncDisposable {
  url: string;
  /** The URLs of replicas, which get the requests in turn. Default: `url`. */
  urls?: readonly string[];
  /** Folder of the CAs. */
  pki: string;
  kubeconfig: string | undefined;
}

/** A server that supports sessions. */
export type SessionServer = PlayedServer & { kubeconfig: string };

/** The command of Annex. */
export const annexCommand = fileURLToPath(new URL('../../apps/cli/bin/annex.js', import.meta.url));

/** Starts a new Annex: empty, without controllers, as for the recordings; in memory, or with its store on the disk. */
export async function startAnnex({ onDisk = false } = {}): Promise<SessionServer> {
  const folder = tempFolder('annex-conformance-');
  const args = [
    annexCommand,
    'up',
    '--data-dir',
    folder.path,
    '--port',
    '0',
    ...(onDisk ? [] : ['--ephemeral']),
    '--controllers=',
    '--log-level',
    'error',
  ];
  const annex = await startProcess(process.execPath, { args, until: /annex is ready in \S+ s: (https:\S+)/ });
  return {
    url: annex.ready?.[1] ?? '',
    pki: join(folder.path, 'pki'),
    kubeconfig: join(folder.path, 'admin.kubeconfig'),
    async [Symbol.asyncDispose]() {
      await annex.stop();
      folder[Symbol.dispose]();
    },
  };
}
