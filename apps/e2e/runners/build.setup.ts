import { fileURLToPath } from 'node:url';
import { startProcess } from '@annex/testkit';

const build = fileURLToPath(new URL('../../../scripts/build/main.mjs', import.meta.url));

/** Builds the command that all suites start. */
export default async function buildCommand(): Promise<void> {
  const built = await startProcess(process.execPath, { args: [build, 'annex'] });
  if ((await built.exited) !== 0) throw new Error(`the build failed:\n${built.lines.join('\n')}`);
}
