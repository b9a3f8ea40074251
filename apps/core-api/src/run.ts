import { runProgram } from '@annex/process';
import { coreApiProgram } from './program.ts';

/** The main function of core-api in a separate process. Resolves to the exit code. */
export const runCoreApi = (argv: readonly string[], env: NodeJS.ProcessEnv): Promise<number> =>
  runProgram(coreApiProgram, argv, env);
