import { fileURLToPath } from 'node:url';
import { startProcess } from '@annex/testkit';

const build = fileURLToPath(new URL('../../../scripts/build/main.mjs', import.meta.url));

/** Builds the packages for npm, unless nx has built them. All suites start the command of `annex`. */
export default async function buildPackages(): Promise<void> {
  if (process.env.ANNEX_BUILT === 'true') return;
  const built = await startProcess(process.execPath, { args: [build] });
  if ((await built.exited) !== 0) throw new Error(`the build failed:\n${built.lines.join('\n')}`);
}
