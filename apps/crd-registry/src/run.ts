import { runProgram } from '@annex/process';
import { crdRegistryProgram } from './program.ts';

/** The main function of crd-registry in a separate process. Resolves to the exit code. */
export const runCrdRegistry = (argv: readonly string[], env: NodeJS.ProcessEnv): Promise<number> =>
  runProgram(crdRegistryProgram, argv, env);
