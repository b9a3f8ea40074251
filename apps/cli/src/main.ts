import { startSmall } from './start-flags.ts';

/** The main function of `annex`. Resolves to the exit code. */
export async function main(): Promise<number> {
  const words = process.argv.slice(2);
  const writeCompileCache = startSmall(words[0]);
  const { runCommand } = await import('./commands.ts');
  const { beforeReady } = await import('@annex/runtime');
  beforeReady(writeCompileCache);
  return await runCommand(words, process.env);
}
