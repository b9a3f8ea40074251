import { startSmall } from './young-generation.ts';

/** The main function of `annex`. Resolves to the exit code. */
export async function main(): Promise<number> {
  startSmall();
  const { runCommand } = await import('./commands.ts');
  return await runCommand(process.argv.slice(2), process.env);
}
