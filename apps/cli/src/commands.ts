import { apps } from './apps.ts';
import type { Command } from './command.ts';

const commands: Readonly<Record<string, Command>> = {
  up: {
    help: 'run everything in one process',
    run: async (argv, env) => (await import('./up.ts')).runUp(argv, env),
  },
  pki: {
    help: 'create the keys and certificates of separate processes',
    run: async (argv, env) => (await import('./pki.ts')).runPki(argv, env),
  },
  migrate: {
    help: 'store existing objects in the current storage version',
    run: async (argv, env) => (await import('./migrate/migrate-command.ts')).runMigrate(argv, env),
  },
  snapshot: {
    help: 'write the stored data to a file',
    run: async (argv, env) => (await import('./snapshot/snapshot-command.ts')).runSnapshot(argv, env),
  },
  restore: {
    help: 'replace the stored data with a snapshot file',
    run: async (argv, env) => (await import('./snapshot/snapshot-command.ts')).runRestore(argv, env),
  },
  trace: {
    help: 'show decisions about requests, and their reasons',
    run: async (argv, env) => (await import('./trace/trace-command.ts')).runTrace(argv, env),
  },
  check: {
    help: 'find errors in the set-up of an extension API server',
    run: async (argv, env) => (await import('./check/check-command.ts')).runCheck(argv, env),
  },
  health: {
    help: 'check the health of a server: annex health URL [CA-FILE]',
    run: async (argv) => (await import('./health.ts')).runHealth(argv),
  },
  version: {
    help: 'print the version',
    run: async () => {
      const { annexVersion } = await import('@annex/server');
      process.stdout.write(`annex ${annexVersion}\n`);
      return 0;
    },
  },
};

const listing = (listed: Readonly<Record<string, Command>>): string[] =>
  Object.entries(listed).map(([name, { help }]) => `  ${name.padEnd(14)} ${help}`);

const usage = (): string =>
  [
    'usage: annex COMMAND [options]; annex COMMAND --help lists the options',
    '',
    ...listing(commands),
    '',
    'apps, each as a separate process:',
    '',
    ...listing(apps),
    '',
  ].join('\n');

/** Runs one command line. Resolves to the exit code. */
export async function runCommand(argv: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const { nodeVersionError } = await import('@annex/runtime');
  const unsupported = nodeVersionError();
  if (unsupported !== undefined) {
    process.stderr.write(`${String(unsupported)}\n`);
    return 1;
  }
  const [name = '', ...rest] = argv;
  if (name === '' || name === 'help' || name === '--help' || name === '-h') {
    process.stdout.write(usage());
    return 0;
  }
  const command = new Map(Object.entries({ ...commands, ...apps })).get(name);
  if (command === undefined) {
    process.stderr.write(`annex: unknown command ${JSON.stringify(name)}\n\n${usage()}`);
    return 2;
  }
  return await command.run(rest, env);
}
