import { runProcess } from '@annex/runtime';
import { controllersConflicts, controllersOptions } from './options.ts';
import { startControllers } from './process.ts';

/** The main function of the controllers in a separate process. Resolves to the exit code. */
export const runControllers = (argv: readonly string[], env: NodeJS.ProcessEnv): Promise<number> =>
  runProcess(
    {
      name: 'controllers',
      options: controllersOptions,
      conflicts: controllersConflicts,
      start: startControllers,
    },
    argv,
    env,
  );
