import { runProcess } from '@annex/runtime';
import { controllersConflicts, controllersOptions } from './options.ts';
import { startControllers } from './process.ts';

process.exit(
  await runProcess({
    name: 'controllers',
    options: controllersOptions,
    conflicts: controllersConflicts,
    start: startControllers,
  }),
);
