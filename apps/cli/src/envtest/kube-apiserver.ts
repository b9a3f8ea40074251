import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type OptionsTable, runProcess, type Validated } from '@annex/runtime';
import { startAnnex } from '../annex.ts';
import { kubeApiserver } from '../kube-apiserver-flags.ts';
import { type UpConfig, upConflicts, upOptions } from '../up-options.ts';

/**
 * The options of `annex up` with the defaults of kube-apiserver alone: no controllers, and no data directory. The keys of Annex lie in
 * a folder of `--cert-dir`, which test environments remove.
 */
export const kubeApiserverOptions: OptionsTable<UpConfig> = {
  ...upOptions,
  dataDir: { ...upOptions.dataDir, type: 'path', env: false, default: '' },
  controllers: { ...upOptions.controllers, type: 'list', default: [] },
  logLevel: { ...upOptions.logLevel, type: 'string', default: 'warn' },
};

/** `kube-apiserver` of `annex envtest`: runs until SIGTERM or SIGINT. Resolves to the exit code. */
export const runKubeApiserver = (argv: readonly string[], env: NodeJS.ProcessEnv): Promise<number> =>
  runProcess(
    {
      name: 'kube-apiserver',
      options: kubeApiserverOptions,
      conflicts: (config) => [
        ...(config.etcdServers.length === 0 ? ['--etcd-servers must be specified'] : []),
        ...upConflicts(config),
      ],
      foreign: kubeApiserver,
      async start(config) {
        const { dataDir, remove } = openFolder(config);
        try {
          const { url, stop } = await startAnnex({ ...config, dataDir } as Validated<UpConfig>, {
            isTemporary: true,
          });
          return { about: url, stop: () => stop().finally(remove) };
        } catch (error) {
          remove();
          throw error;
        }
      },
    },
    argv,
    env,
  );

/** Returns the folder of the keys: below `--cert-dir`, or a temporary one that is removed at the end. */
function openFolder({ certDir, dataDir }: UpConfig): { dataDir: string; remove(): void } {
  if (dataDir !== '') return { dataDir, remove: () => undefined };
  if (certDir !== undefined) return { dataDir: join(certDir, 'annex'), remove: () => undefined };
  const temporary = mkdtempSync(join(tmpdir(), 'annex-envtest-'));
  return { dataDir: temporary, remove: () => rmSync(temporary, { recursive: true, force: true }) };
}
