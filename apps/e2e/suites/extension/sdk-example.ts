import { join } from 'node:path';
import { type RunningProcess, startProcess } from '@annex/testkit';
import type { ExtensionSetting } from './extension.ts';

/** Starts an example of the SDK, with its objects on disk. */
export const sdkExample =
  (name: string) =>
  ({ folder, port, kubeconfig, certificate, key }: ExtensionSetting): Promise<RunningProcess> => {
    const options = {
      'data-dir': join(folder, 'objects'),
      'bind-address': '0.0.0.0',
      'secure-port': String(port),
      'tls-cert-file': certificate,
      'tls-private-key-file': key,
      kubeconfig,
      // The default of ten seconds would delay the effect of a new permission.
      'authorization-webhook-cache-unauthorized-ttl': '1s',
    };
    const args = Object.entries(options).map(([option, value]) => `--${option}=${value}`);
    const main = new URL(`../../../../examples/${name}/${name}.ts`, import.meta.url).pathname;
    return startProcess(process.execPath, { args: [main, ...args], until: new RegExp(`${name} is ready`) });
  };
