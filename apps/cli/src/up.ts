import { resolve } from 'node:path';
import { runProcess } from '@annex/runtime';
import { startAnnex } from './annex.ts';
import { kubeApiserver } from './kube-apiserver-flags.ts';
import { shellQuoted } from './shell-quoted.ts';
import { contextName } from './kubeconfig/kubeconfig-text.ts';
import { mergeContext, userKubeconfig } from './kubeconfig/user-kubeconfig.ts';
import { upConflicts, upOptions } from './up-options.ts';

/** `annex up`: runs until SIGTERM or SIGINT. Resolves to the exit code. */
export const runUp = (argv: readonly string[], env: NodeJS.ProcessEnv): Promise<number> =>
  runProcess(
    {
      name: 'annex',
      usage: 'annex up [options]',
      options: upOptions,
      conflicts: upConflicts,
      foreign: kubeApiserver,
      async start(config) {
        const { url, kubeconfig, stop, ended } = await startAnnex(config);
        const lines = [url, `  export KUBECONFIG=${shellWord(resolve(kubeconfig))}`];
        if (config.kubeconfigMerge) {
          const file = userKubeconfig(env, kubeconfig);
          // The store is closed before the process ends.
          await mergeContext(file, kubeconfig).catch(async (error: unknown) => {
            await stop();
            throw error;
          });
          lines.push(`  "${contextName}" is the current context of ${file}`);
        }
        return { about: lines.join('\n'), stop, ...(ended ? { ended } : {}) };
      },
    },
    argv,
    env,
  );

/** Quotes a path if a shell would split or change it. */
const shellWord = (path: string): string => (/^[\w./:@%+,-]+$/.test(path) ? path : shellQuoted(path));
