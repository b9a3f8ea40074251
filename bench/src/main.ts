import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { helpText, parseOptions, type Validated } from '@annex/runtime';
import { AllocationCounter, allocationsFile } from './counted/count.ts';
import { type MachineFacts, machineFacts } from './machine.ts';
import { type BenchOptions, benchConflicts, benchOptions } from './options.ts';
import { machineLine, resultTable } from './report.ts';
import { type Result, type RunSettings, runRow } from './run.ts';
import { type Row, resultsDir, scenario } from './scenario.ts';
import { type Target, annexProgram, openAnnex, openPeer } from './target.ts';
import { growthLines } from './growth/report.ts';
import { growthNames, type GrowthResult, runGrowth } from './growth/run.ts';
import { schedulerTable } from './scheduler/report.ts';
import { schedulerRows } from './scheduler/rows.ts';
import { runSchedulers, type SchedulerResult } from './scheduler/run.ts';
import { type Comparison, compare, tableLines } from './table/report.ts';
import { compareRevisions, type RevisionComparison } from './table/compare-revisions.ts';
import { runTable, type Side, type TableSettings } from './table/run.ts';
import { startBareServer, startReference, startTableAnnex } from './table/servers.ts';
import { turnLine, turnSummary, unexpectedLines } from './turns/report.ts';
import { everyFieldName, runEveryField } from './turns/fields/run.ts';
import { runStages, stageNames } from './turns/stages/run.ts';
import { runTurns, turnNames } from './turns/run.ts';
import type { TurnResult } from './turns/turn-result.ts';
import { tunnelTable } from './tunnel/report.ts';
import { runTunnels, type TunnelResult, tunnelRowNames } from './tunnel/run.ts';

const parsed = parseOptions(benchOptions, process.argv.slice(2), process.env, benchConflicts);
if (parsed.kind === 'help') process.stdout.write(helpText('npm run bench --', benchOptions));
else if (parsed.kind === 'errors') {
  for (const error of parsed.errors) process.stderr.write(`bench: ${error.message}\n`);
  process.exitCode = 2;
} else process.exitCode = await main(parsed.config);

async function main(config: Validated<BenchOptions>): Promise<number> {
  const { only } = config;
  const selected = (name: string): boolean => only.some((word) => name.includes(word));
  const rows = scenario.filter(({ name }) => only.length === 0 || selected(name));
  const tunnels = tunnelRowNames.filter(selected);
  const schedulers = schedulerRows.map(({ name }) => name).filter(selected);
  const growth = growthNames.filter(selected);
  const turns = [...turnNames, ...stageNames, everyFieldName].filter(selected);
  if (config.list) {
    for (const { name, measures, unit } of rows) process.stdout.write(`${name} (${unit}): ${measures}\n`);
    const onRequest = [
      ...tunnelRowNames,
      ...schedulerRows.map(({ name }) => name),
      ...growthNames,
      ...turnNames,
      ...stageNames,
      everyFieldName,
    ];
    for (const name of only.length === 0 ? onRequest : [...tunnels, ...schedulers, ...growth, ...turns])
      process.stdout.write(`${name}\n`);
    return 0;
  }
  const facts = machineFacts();
  process.stdout.write(`${machineLine(facts)}\n`);
  if (config.allocations) {
    await writeAllocations();
    return 0;
  }
  if (growth.length > 0) {
    await measureGrowth(config, facts, new Set(growth));
    return 0;
  }
  if (turns.length > 0) {
    return await measureTurns(config, facts, new Set(turns));
  }
  const table = { selected: (name: string) => only.length === 0 || selected(name), cold: config.cold };
  if (config.reference !== undefined) {
    await measureTable(config, config.reference, facts, table);
    return 0;
  }
  if (config.compare !== undefined) {
    const { lines, results } = await compareRevisions(config.compare, table);
    for (const line of lines) process.stdout.write(`${line}\n`);
    await writeResults({ at: new Date().toISOString(), ...facts, results });
    return 0;
  }
  if (tunnels.length > 0) await measureTunnels(config, facts, new Set(tunnels));
  if (schedulers.length > 0) await measureSchedulers(config, facts, new Set(schedulers));
  return rows.length > 0 ? await measureServers(config, facts, rows) : 0;
}

async function writeAllocations(): Promise<void> {
  await using counter = await AllocationCounter.start();
  const counted = `${JSON.stringify(await counter.countAll(), undefined, 2)}\n`;
  await writeFile(allocationsFile, counted);
  process.stdout.write(counted);
}

async function measureTable(
  { cpuProfDir, program = annexProgram }: Validated<BenchOptions>,
  programs: string,
  facts: MachineFacts,
  settings: TableSettings,
): Promise<void> {
  await using stack = new AsyncDisposableStack();
  const servers = [
    stack.use(await startTableAnnex(cpuProfDir, { name: 'annex', program })),
    stack.use(await startReference(programs)),
    stack.use(await startBareServer()),
  ];
  const measured = await runTable(servers, settings);
  const results = compare(measured);
  for (const line of tableLines(results)) process.stdout.write(`${line}\n`);
  const slices = measured.map(({ row, sides }) => ({ row: row.name, sides }));
  await writeResults({ at: new Date().toISOString(), ...facts, results, slices });
}

async function measureTunnels(
  { quick, rounds, cpuProfDir: profiles }: Validated<BenchOptions>,
  facts: MachineFacts,
  names: ReadonlySet<string>,
): Promise<void> {
  const settings = { seconds: quick ? 0.3 : 2, rounds: rounds ?? (quick ? 1 : 3) };
  const results = await runTunnels({ ...settings, names, profiles });
  for (const line of tunnelTable(results)) process.stdout.write(`${line}\n`);
  await writeResults({ at: new Date().toISOString(), ...facts, ...settings, results });
}

async function measureSchedulers(
  { quick, rounds, cpuProfDir: profiles }: Validated<BenchOptions>,
  facts: MachineFacts,
  names: ReadonlySet<string>,
): Promise<void> {
  const settings = { rounds: rounds ?? (quick ? 1 : 3) };
  const results = await runSchedulers({ ...settings, names, profiles });
  for (const line of schedulerTable(results)) process.stdout.write(`${line}\n`);
  await writeResults({ at: new Date().toISOString(), ...facts, ...settings, results });
}

async function measureGrowth(
  { reference }: Validated<BenchOptions>,
  facts: MachineFacts,
  names: ReadonlySet<string>,
): Promise<void> {
  const results = await runGrowth(names, reference, (result) => {
    for (const line of growthLines(result)) process.stdout.write(`${line}\n`);
  });
  await writeResults({ at: new Date().toISOString(), ...facts, results });
}

async function measureTurns(
  { quick, rounds, cpuProfDir: profiles, program }: Validated<BenchOptions>,
  facts: MachineFacts,
  names: ReadonlySet<string>,
): Promise<number> {
  const repetitions = rounds ?? (quick ? 1 : 3);
  const settings = { names, repetitions, profiles, program };
  const print = (result: TurnResult): void => {
    for (const line of [turnLine(result), ...unexpectedLines(result)]) process.stdout.write(`${line}\n`);
  };
  const results: TurnResult[] = [];
  if (turnNames.some((name) => names.has(name))) results.push(...(await runTurns(settings, print)));
  results.push(...(await runStages(settings, print)));
  if (names.has(everyFieldName)) results.push(...(await runEveryField(settings, print)));
  for (const line of turnSummary(results)) process.stdout.write(`${line}\n`);
  await writeResults({ at: new Date().toISOString(), ...facts, results });
  return results.some(({ unexpected }) => unexpected.length > 0) ? 1 : 0;
}

async function measureServers(
  config: Validated<BenchOptions>,
  facts: MachineFacts,
  rows: readonly Row[],
): Promise<number> {
  const { quick } = config;
  await using stack = new AsyncDisposableStack();
  const targets = [stack.use(await openAnnex(config.cpuProfDir))];
  const { peerKubeconfig, peerUrl, peerPid, peerName } = config;
  if (peerKubeconfig !== undefined) {
    targets.push(stack.use(await openPeer(peerName, peerKubeconfig, peerUrl, peerPid.map(Number))));
  }
  const settings: RunSettings = {
    seconds: quick ? 0.25 : 0.8,
    rounds: config.rounds ?? (quick ? 1 : 3),
    endBy: performance.now() + (quick ? 35_000 : 270_000),
  };
  const results = await runRows(rows, targets, settings);
  await Promise.all(targets.slice(1).map((target) => target.clean()));
  for (const line of resultTable(results)) process.stdout.write(`${line}\n`);
  await writeResults({ at: new Date().toISOString(), ...facts, ...settings, results });
  return results.some(({ skipped }) => skipped?.startsWith('failed')) ? 1 : 0;
}

async function runRows(
  rows: readonly Row[],
  targets: readonly Target[],
  settings: RunSettings,
): Promise<Result[]> {
  const results: Result[] = [];
  for (const row of rows) {
    if (process.stderr.isTTY) process.stderr.write(`${row.name}\n`);
    results.push(...(await runRow(row, targets, settings)));
  }
  return results;
}

type Run = MachineFacts & {
  at: string;
  results: readonly (
    | Result
    | TunnelResult
    | SchedulerResult
    | GrowthResult
    | TurnResult
    | Comparison
    | RevisionComparison
  )[];
  /** The slices of the table's rows. */
  slices?: readonly { row: string; sides: readonly Side[] }[];
};

async function writeResults(run: Run): Promise<void> {
  await mkdir(resultsDir, { recursive: true });
  const file = join(resultsDir, `${run.at.replaceAll(':', '-')}.json`);
  await writeFile(file, `${JSON.stringify(run, undefined, 1)}\n`);
  process.stdout.write(`${file}\n`);
}
