import { fileURLToPath } from 'node:url';

/** The Node that runs the command: `ANNEX_NODE` names another one than that of the suites. */
export const annexNode = process.env.ANNEX_NODE ?? process.execPath;

/** The file of the built command: suites run the command that users install. `build.setup.ts` builds it. */
export const annexCommand = fileURLToPath(
  new URL('../../../dist/packages/annex/bin/annex.js', import.meta.url),
);
