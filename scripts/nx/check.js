// `node scripts/nx/check.js COMMAND`: runs a command. A command that prints no counts is a single check.
import { dirname } from 'node:path';
import { counts, run } from './run.js';

const root = dirname(dirname(import.meta.dirname));
const { code, output } = await run(root, process.argv.slice(2).join(' '), [], { print: true, shell: true });
const [line, passed, failed] = [...output.matchAll(/^(\d+) passed, (\d+) failed.*$/gm)].at(-1) ?? [];
if (line === undefined) process.stdout.write(`${code === 0 ? counts(1, 0) : counts(0, 1)}\n`);
else if (line !== counts(passed, failed)) process.stdout.write(`${counts(passed, failed)}\n`);
if (code !== 0 && failed === '0') process.stdout.write(`${counts(0, 1)}\n`);
process.exitCode = code === 0 ? 0 : 1;
