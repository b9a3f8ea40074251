import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The Node that runs the command: `ANNEX_NODE` names another one than that of the suites. */
export const annexNode = process.env.ANNEX_NODE ?? process.execPath;

/** A project in which the packages are installed, and which has the examples; by default, suites use the checkout. */
export const installedAnnex: string | undefined = process.env.ANNEX_INSTALLED;

/** The file of the built command: suites run the command that users install. `build.setup.ts` builds it. */
export const annexCommand =
  installedAnnex === undefined
    ? fileURLToPath(new URL('../../../dist/packages/annex/bin/annex.js', import.meta.url))
    : join(installedAnnex, 'node_modules', 'annex', 'bin', 'annex.js');
