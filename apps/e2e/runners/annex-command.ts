import { fileURLToPath } from 'node:url';

/** The file of the built command: suites run the command that users install. `build.setup.ts` builds it. */
export const annexCommand = fileURLToPath(
  new URL('../../../dist/packages/annex/bin/annex.js', import.meta.url),
);
