import { runProgram } from '@annex/process';
import { frontProxyProgram } from './program.ts';

/** The main function of front-proxy in a separate process. Resolves to the exit code. */
export const runFrontProxy = (argv: readonly string[], env: NodeJS.ProcessEnv): Promise<number> =>
  runProgram(frontProxyProgram, argv, env);
