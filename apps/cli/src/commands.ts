import { join } from 'node:path';
import { apps } from './apps.ts';
import type { Command } from './command.ts';

const commands: Readonly<Record<string, Command>> = {
  up: {
    help: 'run everything in one process',
    options: async () => (await import('./up-options.ts')).upOptions,
    run: async (argv, env) => (await import('./up.ts')).runUp(argv, env),
  },
  trace: {
    help: 'show decisions about requests, and their reasons',
    options: async () => (await import('./trace-options.ts')).traceOptions,
    run: async (argv, env) => (await import('./trace/trace-command.ts')).runTrace(argv, env),
  },
  check: {
    help: 'find errors in the set-up of an extension API server',
    options: async () => (await import('./check-options.ts')).checkOptions,
    run: async (argv, env) => (await import('./check/check-command.ts')).runCheck(argv, env),
  },
  migrate: {
    help: 'store existing objects in the current storage version',
    options: async () => (await import('./migrate-options.ts')).migrateOptions,
    run: async (argv, env) => (await import('./migrate/migrate-command.ts')).runMigrate(argv, env),
  },
  snapshot: {
    help: 'write the stored data to a file',
    options: async () => (await import('./snapshot-options.ts')).snapshotOptions,
    run: async (argv, env) => (await import('./snapshot/snapshot-command.ts')).runSnapshot(argv, env),
  },
  restore: {
    help: 'replace the stored data with a snapshot file',
    options: async () => (await import('./restore-options.ts')).restoreOptions,
    run: async (argv, env) => (await import('./snapshot/snapshot-command.ts')).runRestore(argv, env),
  },
  pki: {
    help: 'create the keys and certificates of separate processes',
    options: async () => (await import('./pki-options.ts')).pkiOptions,
    run: async (argv, env) => (await import('./pki.ts')).runPki(argv, env),
  },
  kubeconfig: {
    help: 'add Annex to the kubeconfig of the user, or remove it: annex kubeconfig merge|remove',
    words: ['merge', 'remove'],
    options: async () => (await import('./kubeconfig-options.ts')).kubeconfigOptions,
    run: async (argv, env) => (await import('./kubeconfig/kubeconfig-command.ts')).runKubeconfig(argv, env),
  },
  envtest: {
    help: 'print a folder of programs for KUBEBUILDER_ASSETS',
    options: async () => (await import('./envtest-options.ts')).envtestOptions,
    run: async (argv, env) => (await import('./envtest/envtest-command.ts')).runEnvtest(argv, env),
  },
  proxy: {
    help: 'run an HTTP proxy to the server of a kubeconfig, like kubectl proxy',
    options: async () => (await import('@annex/proxy')).proxyOptions,
    run: async (argv, env) =>
      (await import('@annex/proxy')).runProxy(argv, env, await defaultKubeconfig(env)),
  },
  socks: {
    help: 'run a SOCKS5 proxy to the server of a kubeconfig',
    options: async () => (await import('@annex/socks')).socksOptions,
    run: async (argv, env) => (await import('@annex/socks')).runSocks(argv, env),
  },
  'why-pending': {
    help: 'explain why a Pod is not scheduled: annex why-pending POD',
    options: async () => (await import('./why-pending-options.ts')).whyPendingOptions,
    run: async (argv, env) => (await import('./why-pending/why-pending-command.ts')).runWhyPending(argv, env),
  },
  scheduler: {
    help: 'run a scheduler that decides as kube-scheduler does',
    options: async () => (await import('@annex/scheduler')).schedulerOptions,
    run: async (argv, env) => (await import('@annex/scheduler')).runScheduler(argv, env),
  },
  'konnectivity-server': {
    help: 'run the server of a Konnectivity tunnel',
    options: async () => (await import('@annex/konnectivity-server')).konnectivityServerOptions,
    run: async (argv, env) => (await import('@annex/konnectivity-server')).runKonnectivityServer(argv, env),
  },
  'konnectivity-agent': {
    help: 'run the agent of a Konnectivity tunnel',
    options: async () => (await import('@annex/konnectivity-agent')).konnectivityAgentOptions,
    run: async (argv, env) => (await import('@annex/konnectivity-agent')).runKonnectivityAgent(argv, env),
  },
  health: {
    help: 'check the health of a server: annex health URL [CA-FILE]',
    run: async (argv) => (await import('./health.ts')).runHealth(argv),
  },
  completion: {
    help: 'print the completion of a shell: annex completion bash|zsh|fish',
    words: ['bash', 'zsh', 'fish'],
    run: async (argv) =>
      (await import('./completion/completion-command.ts')).runCompletion(argv, allCommands),
  },
  version: {
    help: 'print the versions',
    run: async (argv) => (await import('./version.ts')).runVersion(argv),
  },
};

const defaultKubeconfig = async (env: NodeJS.ProcessEnv): Promise<string> =>
  join((await import('./data-dir.ts')).findDataDir(env), 'admin.kubeconfig');

const allCommands: ReadonlyMap<string, Command> = new Map(Object.entries({ ...commands, ...apps }));

/** The programs that the scripts of `annex envtest` start. */
const programs: ReadonlyMap<string, Command['run']> = new Map(
  Object.entries<Command['run']>({
    'envtest-kube-apiserver': async (argv, env) =>
      (await import('./envtest/kube-apiserver.ts')).runKubeApiserver(argv, env),
    'envtest-etcd': async (argv, env) => (await import('./envtest/etcd.ts')).runEtcd(argv, env),
  }),
);

/** Runs one command line. Resolves to the exit code. */
export async function runCommand(argv: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const { nodeVersionError } = await import('@annex/runtime');
  const unsupported = nodeVersionError();
  if (unsupported !== undefined) {
    process.stderr.write(`${String(unsupported)}\n`);
    return 1;
  }
  const [name = '', ...rest] = helpLast(argv);
  if (name === '' || name === 'help' || name === '--help' || name === '-h') {
    const { usage } = await import('./usage.ts');
    process.stdout.write(usage(commands, apps));
    return 0;
  }
  if (name === '--version' || name === '-v') return (await import('./version.ts')).printVersion();
  const command = allCommands.get(name);
  if (command !== undefined) return await command.run(rest, env);
  const program = programs.get(name);
  if (program !== undefined) return await program(rest, env);
  const { reportUnknownCommand } = await import('./usage.ts');
  return reportUnknownCommand(name, [...allCommands.keys(), '--help', '--version']);
}

/** `annex help up` is `annex up --help`. */
const helpLast = (argv: readonly string[]): readonly string[] =>
  argv[0] === 'help' && argv.length > 1 ? [...argv.slice(1, 2), '--help'] : argv;
