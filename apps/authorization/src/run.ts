import { runProgram } from '@annex/process';
import { authorizationProgram } from './program.ts';

/** The main function of authorization in a separate process. Resolves to the exit code. */
export const runAuthorization = (argv: readonly string[], env: NodeJS.ProcessEnv): Promise<number> =>
  runProgram(authorizationProgram, argv, env);
