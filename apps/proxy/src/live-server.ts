import { type ClientConfig, followTlsFiles, loadKubeconfig } from '@annex/client';
import { createLiveFiles, type Logger } from '@annex/runtime';

/** Where a kubeconfig is, and which of its contexts is used. */
export interface KubeconfigPlace {
  kubeconfig: string;
  /** By default the current one of the file. */
  context: string | undefined;
  log: Logger;
  /** Milliseconds between two looks at the file; by default those of all files that are reloaded. */
  intervalMs?: number;
}

/** The server of a kubeconfig, as its file and the files of certificates in it say now. */
export interface LiveServer {
  current(): ClientConfig;
  /** Stops following the file. */
  close(): void;
}

/**
 * Reads a kubeconfig, and reads it and its certificates again when a file changes; a file that is invalid then leaves the previous
 * server in use.
 * Rejects with ClientConfigError.
 */
export async function openServer({
  context,
  intervalMs,
  kubeconfig,
  log,
}: KubeconfigPlace): Promise<LiveServer> {
  const load = () => loadKubeconfig(kubeconfig, context === undefined ? {} : { context });
  let current = followTlsFiles(await load());
  const files = createLiveFiles(log, intervalMs);
  const file = await files.open(kubeconfig);
  file.onChange(() => {
    load().then(
      (changed) => (current = followTlsFiles(changed)),
      (error: unknown) =>
        log.warn('the changed kubeconfig is invalid, its previous content stays in use', { error }),
    );
  });
  return { current: () => current(), close: () => files.close() };
}
