import { type JsonValue, stringifyJson } from '@annex/machinery';
import {
  errorsText,
  parseOptions,
  runProcess,
  type ProcessDescription,
  type RunningProcess,
} from '@annex/runtime';
import type { DefinedPlugin } from './framework/define-plugin.ts';
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

/** Options of {@link startScheduler}. */
export interface StartSchedulerOptions {
  /** The kubeconfig of the API server. */
  kubeconfig?: string;
  /** A KubeSchedulerConfiguration: an object, or YAML. */
  config?: string | object;
  /** Plugins that profiles can enable. */
  plugins?: readonly DefinedPlugin[];
  /** Options of `annex scheduler`, as on its command line. */
  args?: readonly string[];
}

/** A scheduler in this process. */
export interface StartedScheduler extends RunningProcess, AsyncDisposable {}

// Several schedulers may run in one process. Later options have priority.
const ownOptions = ['--secure-port=0', '--log-level=error'];

/**
 * Starts what `annex scheduler` runs, in this process and without its signals. Resolves when it has started; it schedules as soon as it has
 * read the cluster, and with leader election has the Lease. Throws an error with the text that the command prints.
 *
 * @example
 * await using scheduler = await startScheduler({ kubeconfig, config, plugins: [evenNodes] });
 */
export async function startScheduler({
  args = [],
  config,
  kubeconfig,
  plugins = [],
}: StartSchedulerOptions): Promise<StartedScheduler> {
  const problem = goFlagError(args, schedulerOptions);
  if (problem !== undefined) throw new Error(problem);
  const argv = [...ownOptions, ...(kubeconfig === undefined ? [] : [`--kubeconfig=${kubeconfig}`]), ...args];
  const parsed = parseOptions(schedulerOptions, argv, {}, schedulerConflicts, kubeSchedulerFlags);
  if (parsed.kind !== 'config')
    throw new Error(parsed.kind === 'errors' ? errorsText(parsed.errors) : 'no configuration');
  const text = typeof config === 'object' ? stringifyJson(config as JsonValue) : config;
  const running = await startSchedulerProcess(parsed.config, {
    plugins,
    ...(text === undefined ? {} : { config: text }),
  });
  return { ...running, [Symbol.asyncDispose]: async () => void (await running.stop()) };
}
