// Judges regular expressions of the sources that have no verdict yet, and writes scripts/regex-verdicts.json.
import { lintRegexes } from './lint-regexes.mjs';
import { judgeRequested, saveVerdicts, unjudged } from './regex-verdicts.mjs';

await lintRegexes();
process.stdout.write(`${unjudged().length} expressions to judge\n`);
await judgeRequested();
const refused = saveVerdicts().filter(([, problem]) => problem !== null);
for (const [key, problem] of refused) process.stdout.write(`${key} ${problem}\n`);
process.exitCode = refused.length === 0 ? 0 : 1;
