// `node scripts/nx/suites.js CONFIG`: runs the suites of one configuration of Vitest, and prints their output.
import { dirname } from 'node:path';
import { counts } from './run.js';
import { runVitest, sum } from './vitest.js';

const root = dirname(dirname(import.meta.dirname));
const [config] = process.argv.slice(2);
// The packages have been built by the target that this one depends on.
process.env.ANNEX_BUILT = 'true';
const { isComplete, files } = await runVitest(root, ['--config', config], { print: true });
const failed = Math.max(sum(files, 'failed'), isComplete ? 0 : 1);
process.stdout.write(`${sum(files, 'skipped')} skipped\n${counts(sum(files, 'passed'), failed)}\n`);
process.exitCode = failed === 0 ? 0 : 1;
