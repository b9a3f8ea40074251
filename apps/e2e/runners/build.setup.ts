import { fileURLToPath } from 'node:url';
import { startProcess } from '@annex/testkit';

const build = fileURLToPath(new URL('../../../scripts/build/main.mjs', import.meta.url));

/** Builds the packages for npm. All suites start the command of `annex`. */
export default async function buildPackages(): Promise<void> {
  const built = await startProcess(process.execPath, { args: [build] });
  if ((await built.exited) !== 0) throw new Error(`the build failed:\n${built.lines.join('\n')}`);
}
