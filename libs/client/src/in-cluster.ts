import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ClientConfig } from './config.ts';
import { tokenFile } from './followed-files.ts';

const mounted = '/var/run/secrets/kubernetes.io/serviceaccount';

/** Returns the API server access of a Pod; `undefined` outside of a cluster. */
export function inClusterConfig(
  env: NodeJS.ProcessEnv = process.env,
  folder: string = mounted,
): ClientConfig | undefined {
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port } = env;
  if (!host || !port || !existsSync(join(folder, 'token'))) return undefined;
  const ca = join(folder, 'ca.crt');
  return {
    server: `https://${host.includes(':') ? `[${host}]` : host}:${port}`,
    ca: readFileSync(ca, 'utf8'),
    tlsFiles: { ca },
    token: tokenFile(join(folder, 'token')),
    namespace: readFileSync(join(folder, 'namespace'), 'utf8').trim(),
  };
}
