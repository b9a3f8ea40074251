import { counts, run } from './run.js';

/** Runs a command. One that does not end with the counts of its checks is a single check. */
export async function check({ command }, { root }) {
  const { code, output } = await run(root, command, [], { print: true, shell: true });
  const printed = /^\d+ passed, (\d+) failed$/.exec(output.trimEnd().split('\n').at(-1));
  if (printed === null) process.stdout.write(`${code === 0 ? counts(1, 0) : counts(0, 1)}\n`);
  else if (code !== 0 && printed[1] === '0') process.stdout.write(`${counts(0, 1)}\n`);
  return { success: code === 0 };
}
