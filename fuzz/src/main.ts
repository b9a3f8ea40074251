import { helpText, parseOptions, type Validated } from '@annex/runtime';
import { type CampaignResult, runCampaign } from './campaign.ts';
import { casesRoot, writeCase } from './cases.ts';
import { addToLedger, readLedger } from './ledger.ts';
import { type FuzzOptions, fuzzOptions } from './options.ts';
import { buildGoPeer } from './peer.ts';
import { loadTargets, targetFiles } from './targets.ts';

const parsed = parseOptions(fuzzOptions, process.argv.slice(2), process.env);
if (parsed.kind === 'help') process.stdout.write(helpText('npm run fuzz --', fuzzOptions));
else if (parsed.kind === 'errors') {
  for (const error of parsed.errors) process.stderr.write(`fuzz: ${error.message}\n`);
  process.exitCode = 2;
} else process.exitCode = await main(parsed.config);

async function main(config: Validated<FuzzOptions>): Promise<number> {
  const { only, seconds, inputs = Infinity, cases = casesRoot, list } = config;
  const selected = selectTargets(await listTargets(), only);
  if (list) {
    process.stdout.write(listing(selected));
    return 0;
  }
  const seed = config.seed ?? Math.floor(Math.random() * 0x1_0000_0000);
  const useGo = config.go && buildGoPeer();
  process.stdout.write(`seed ${seed}${useGo ? '' : ', without Go'}\n`);
  let findings = 0;
  for (const { file, name } of selected) {
    const options = { file, name, seconds, maxInputs: inputs, seed, useGo };
    const result = await runCampaign(options, (finding) => {
      findings++;
      const written = writeCase(name, finding, cases);
      process.stdout.write(`${name}: ${finding.kind} ${written}\n${indented(finding.detail)}\n`);
    });
    process.stdout.write(`${summary(result)}\n`);
    addToLedger(name, { ...result, findings: result.findings.length });
  }
  return findings === 0 ? 0 : 1;
}

interface ListedTarget {
  file: string;
  name: string;
  go: string | undefined;
}

async function listTargets(): Promise<ListedTarget[]> {
  const lists = await Promise.all(
    targetFiles().map(async (file) => (await loadTargets(file)).map(({ name, go }) => ({ file, name, go }))),
  );
  return lists.flat();
}

/** Selects targets with one of the words in their names; a word that equals a name selects only that target. */
function selectTargets(targets: readonly ListedTarget[], words: readonly string[]): readonly ListedTarget[] {
  if (words.length === 0) return targets;
  const names = new Set(targets.map(({ name }) => name));
  return targets.filter(({ name }) =>
    words.some((word) => (names.has(word) ? name === word : name.includes(word))),
  );
}

/** Returns the targets as rows of a Markdown table, with the totals of their campaigns. */
function listing(targets: readonly ListedTarget[]): string {
  const ledger = readLedger();
  const rows = targets
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ name, go }) => {
      const { inputs, seconds, findings } = ledger.get(name) ?? { inputs: 0, seconds: 0, findings: 0 };
      return [name, go ?? '', inputs.toLocaleString('en-US'), String(seconds), String(findings)];
    });
  const table = [['target', 'Go', 'inputs', 'seconds', 'findings'], ...rows];
  const widths = table[0]!.map((_, column) => Math.max(...table.map((row) => row[column]!.length)));
  return table.map((row) => `| ${row.map((cell, i) => cell.padEnd(widths[i]!)).join(' | ')} |\n`).join('');
}

function summary(result: CampaignResult): string {
  const { name, inputs, seconds, reached, corpus, usesGo, findings } = result;
  return (
    `${name}: ${inputs} inputs in ${seconds.toFixed(0)} s (${Math.round(inputs / seconds)}/s), ` +
    `${reached} branches, ${corpus} inputs kept${usesGo ? ', compared with Go' : ''}, ${findings.length} findings`
  );
}

function indented(text: string): string {
  return text.replace(/^/gm, '    ').slice(0, 2_000);
}
