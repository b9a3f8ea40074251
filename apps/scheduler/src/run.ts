import { runProcess } from '@annex/runtime';
import { goFlagError } from './go-flags.ts';
import { kubeSchedulerFlags, schedulerConflicts, schedulerOptions } from './options.ts';
import { startSchedulerProcess } from './process.ts';

/** The main function of `annex scheduler`. Resolves to the exit code. */
export async function runScheduler(argv: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const problem = goFlagError(argv, schedulerOptions);
  if (problem !== undefined) {
    process.stderr.write(`Error: ${problem}\n`);
    return 1;
  }
  return await runProcess(
    {
      name: 'scheduler',
      usage: 'annex scheduler [options]',
      options: schedulerOptions,
      conflicts: schedulerConflicts,
      foreign: {
        program: 'kube-scheduler',
        flags: kubeSchedulerFlags,
        documentation: 'docs/reference/scheduler.md',
      },
      start: startSchedulerProcess,
    },
    argv,
    env,
  );
}
