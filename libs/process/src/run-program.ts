import { runProcess } from '@annex/runtime';
import type { Identities } from './identities.ts';
import type { ServerConfig } from './options.ts';
import type { Program } from './program.ts';
import { startProgram } from './start-program.ts';

/** The main function of a program: runs until SIGTERM or SIGINT. Resolves to the exit code. */
export const runProgram = <C extends ServerConfig, I extends Identities>(
  program: Program<C, I>,
  argv: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<number> =>
  runProcess<C>(
    {
      name: program.name,
      options: program.options,
      ...(program.conflicts ? { conflicts: program.conflicts } : {}),
      async start(config) {
        const { url, stop } = await startProgram(program, config);
        return { about: url, stop };
      },
    },
    argv,
    env,
  );
