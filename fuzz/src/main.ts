import { helpText, parseOptions, type Validated } from '@annex/runtime';
import { type CampaignResult, runCampaign } from './campaign.ts';
import { casesRoot, writeCase } from './cases.ts';
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
  const selected = (await listTargets()).filter(
    ({ name }) => only.length === 0 || only.some((word) => name.includes(word)),
  );
  if (list) {
    for (const { name, go } of selected) process.stdout.write(go === undefined ? `${name}\n` : `${name} (Go: ${go})\n`); // prettier-ignore
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
