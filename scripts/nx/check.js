import { counts, run } from './run.js';

/** Runs a command. A command that prints no counts is a single check. */
export async function check({ command }, { root }) {
  const { code, output } = await run(root, command, [], { print: true, shell: true });
  const success = code === 0;
  const [line, passed, failed] = [...output.matchAll(/^(\d+) passed, (\d+) failed.*$/gm)].at(-1) ?? [];
  if (line === undefined) process.stdout.write(`${success ? counts(1, 0) : counts(0, 1)}\n`);
  else if (line !== counts(passed, failed)) process.stdout.write(`${counts(passed, failed)}\n`);
  if (!success && failed === '0') process.stdout.write(`${counts(0, 1)}\n`);
  return { success };
}
