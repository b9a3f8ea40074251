import {
  errorsText,
  parseOptions,
  runProcess,
  type ProcessDescription,
  type RunningProcess,
} from '@annex/runtime';
import { goFlagError } from './go-flags.ts';
import {
  kubeSchedulerFlags,
  schedulerConflicts,
  schedulerOptions,
  type SchedulerProcessConfig,
} from './options.ts';
import { startSchedulerProcess } from './process.ts';

const description: ProcessDescription<SchedulerProcessConfig> = {
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
};

/** The main function of `annex scheduler`. Resolves to the exit code. */
export async function runScheduler(argv: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const problem = goFlagError(argv, schedulerOptions);
  if (problem !== undefined) {
    process.stderr.write(`Error: ${problem}\n`);
    return 1;
  }
  return await runProcess(description, argv, env);
}

/** Starts what `annex scheduler` runs, in this process and without its signals. Throws an error with the text that the command prints. */
export async function startScheduler(argv: readonly string[]): Promise<RunningProcess> {
  const problem = goFlagError(argv, schedulerOptions);
  if (problem !== undefined) throw new Error(problem);
  const parsed = parseOptions(schedulerOptions, argv, {}, schedulerConflicts, kubeSchedulerFlags);
  if (parsed.kind !== 'config')
    throw new Error(parsed.kind === 'errors' ? errorsText(parsed.errors) : 'no configuration');
  return await startSchedulerProcess(parsed.config);
}
