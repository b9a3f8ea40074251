// Looks for lost, stale, repeated and invented objects while servers fail: `npm run faults -- --minutes N`.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { helpText, type OptionsTable, parseOptions } from '@annex/runtime';
import buildPackages from '../runners/build.setup.ts';
import { runRound } from './round.ts';
import { targets } from './targets.ts';

interface FaultOptions {
  minutes: number;
  target: string;
  seed?: number;
}

const options: OptionsTable<FaultOptions> = {
  minutes: {
    flag: 'minutes',
    env: false,
    type: 'int',
    default: 1,
    min: 1,
    max: 10_000,
    help: 'For how long.',
  },
  target: {
    flag: 'target',
    env: false,
    type: 'string',
    choices: [...targets.keys()],
    default: 'single',
    help: 'The servers that fail.',
  },
  seed: {
    flag: 'seed',
    env: false,
    type: 'int',
    min: 0,
    max: 2 ** 31,
    help: 'The seed of the requests and faults; by default a random one, which is printed.',
  },
};
const faultsPerRound = 10;
const folder = fileURLToPath(new URL('../../../node_modules/.cache/faults/', import.meta.url));

const parsed = parseOptions(options, process.argv.slice(2), process.env);
if (parsed.kind === 'help') process.stdout.write(helpText('npm run faults --', options));
else if (parsed.kind === 'errors') {
  for (const error of parsed.errors) process.stderr.write(`faults: ${error.message}\n`);
  process.exitCode = 2;
} else process.exitCode = await main(parsed.config);

async function main({ minutes, target: name, seed: chosen }: FaultOptions): Promise<number> {
  const seed = chosen ?? Math.floor(Math.random() * 2 ** 31);
  process.stdout.write(`seed ${seed}\n`);
  await buildPackages();
  await using target = await targets.get(name)!();
  const total = { faults: 0, writes: 0, reads: 0, lists: 0, watches: 0, violations: 0, expired: 0 };
  const byName = new Map<string, number>();
  const end = performance.now() + minutes * 60_000;
  for (let round = 0; performance.now() < end; round++) {
    const { history, violations, faults, isExpired } = await runRound({
      ...target,
      faultCount: faultsPerRound,
      seed: seed + round,
      namespace: `round-${round}`,
    });
    for (const fault of faults) byName.set(fault, (byName.get(fault) ?? 0) + 1);
    total.faults += faults.length;
    total.writes += history.writes.filter(({ outcome }) => outcome.type === 'done').length;
    total.reads += history.reads.length;
    total.lists += history.lists.length;
    total.watches += history.watches.length;
    total.violations += violations.length;
    total.expired += isExpired ? 1 : 0;
    if (violations.length === 0) continue;
    mkdirSync(folder, { recursive: true });
    const file = join(folder, `${name}-${seed + round}.json`);
    writeFileSync(file, JSON.stringify({ faults, violations, history }, withMaps));
    process.stdout.write(
      `seed ${seed + round}: ${file}\n${violations.map((text) => `  ${text}\n`).join('')}`,
    );
  }
  for (const [fault, count] of [...byName].sort()) process.stdout.write(`${fault}: ${count}\n`);
  process.stdout.write(
    `${total.faults} faults, ${total.writes} acknowledged writes, ${total.reads} reads, ${total.lists} lists, ` +
      `${total.watches} watches, ${total.expired} rounds not checked because the server had forgotten changes\n` +
      `${total.violations} violations\n`,
  );
  return total.violations === 0 ? 0 : 1;
}

const withMaps = (_key: string, value: unknown): unknown =>
  value instanceof Map ? Object.fromEntries(value) : value;
