import { runProgram } from '@annex/process';
import { discoveryProgram } from './program.ts';

/** The main function of discovery in a separate process. Resolves to the exit code. */
export const runDiscovery = (argv: readonly string[], env: NodeJS.ProcessEnv): Promise<number> =>
  runProgram(discoveryProgram, argv, env);
