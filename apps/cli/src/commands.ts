/** A command of `annex`. Resolves to the exit code of the process. */
interface Command {
  help: string;
  run(argv: readonly string[], env: NodeJS.ProcessEnv): Promise<number>;
}

const commands: Readonly<Record<string, Command>> = {
  up: {
    help: 'run everything in one process',
    run: async (argv, env) => (await import('./up.ts')).runUp(argv, env),
  },
  pki: {
    help: 'make the keys and certificates of separate processes',
    run: async (argv, env) => (await import('./pki.ts')).runPki(argv, env),
  },
  migrate: {
    help: 'store objects in the version in which new ones are stored',
    run: async (argv, env) => (await import('./migrate/migrate-command.ts')).runMigrate(argv, env),
  },
  snapshot: {
    help: 'write what is stored into a file',
    run: async (argv, env) => (await import('./snapshot/snapshot-command.ts')).runSnapshot(argv, env),
  },
  restore: {
    help: 'replace what is stored by what such a file holds',
    run: async (argv, env) => (await import('./snapshot/snapshot-command.ts')).runRestore(argv, env),
  },
  trace: {
    help: 'show what was decided about requests, and why',
    run: async (argv, env) => (await import('./trace/trace-command.ts')).runTrace(argv, env),
  },
  check: {
    help: 'say what is wrong with the set-up of an extension API server',
    run: async (argv, env) => (await import('./check/check-command.ts')).runCheck(argv, env),
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

const usage = (): string =>
  [
    'usage: annex COMMAND [options]; annex COMMAND --help lists the options',
    '',
    ...Object.entries(commands).map(([name, { help }]) => `  ${name.padEnd(10)} ${help}`),
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
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command === undefined) {
    process.stderr.write(`annex: unknown command ${JSON.stringify(name)}\n\n${usage()}`);
    return 2;
  }
  return await command.run(rest, env);
}
