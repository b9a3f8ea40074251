import { runProcess } from '@annex/runtime';
import { startAnnex } from './annex.ts';
import { upConflicts, upOptions } from './up-options.ts';

/** `annex up`: runs until SIGTERM or SIGINT. Resolves to the exit code. */
export const runUp = (argv: readonly string[], env: NodeJS.ProcessEnv): Promise<number> =>
  runProcess(
    {
      name: 'annex',
      usage: 'annex up [options]',
      options: upOptions,
      conflicts: upConflicts,
      async start(config) {
        const { url, kubeconfig, stop } = await startAnnex(config);
        return { about: `${url} (kubeconfig ${kubeconfig})`, stop };
      },
    },
    argv,
    env,
  );
