// Judges regular expressions of the sources that have no verdict yet, and writes scripts/regex-verdicts.json.
import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { oxlint } from './oxlint.mjs';
import { judgeAll, otherVerdicts, unjudgedOf, verdicts, writeVerdicts } from './regex-verdicts.mjs';

const used = await usedExpressions();
const missing = used.filter((key) => !verdicts.has(key));
process.stdout.write(`${missing.length} expressions to judge\n`);
const judged = new Map([...verdicts, ...(await judgeAll(missing))]);
writeVerdicts(used.map((key) => [key, judged.get(key)]));
const refused = used.filter((key) => judged.get(key) !== null);
for (const key of refused) process.stdout.write(`${key} ${judged.get(key)}\n`);
process.exitCode = refused.length === 0 ? 0 : 1;

/** Resolves to all expressions of the sources: without verdicts, the lint reports each of them. */
async function usedExpressions() {
  const none = join(tmpdir(), `annex-verdicts-${process.pid}.json`);
  writeVerdicts([], none);
  process.env[otherVerdicts] = none;
  try {
    return unjudgedOf(await oxlint(['libs', 'apps', 'examples']));
  } finally {
    rmSync(none);
  }
}
