import type { Measured } from './load.ts';
import { cpuMs } from './process-facts.ts';
import type { Extent, Row } from './scenario.ts';
import { type Summary, summarize } from './statistics.ts';
import type { Target } from './target.ts';

/** The result of a row on a target. */
export interface Result {
  row: string;
  target: string;
  unit: Row['unit'];
  rounds: number;
  skipped?: string;
  summary?: Summary;
  /** The medians of the rounds; their spread shows how quiet the machine was. */
  roundMedians: number[];
  perSecond?: number;
  /** CPU time of the server for one operation, in milliseconds. */
  serverCpuMs?: number;
  /** The share of a core that the load generator used; near 1, the result is limited by the generator. */
  generatorCpu?: number;
}

/** Settings of a run. */
export interface RunSettings extends Pick<Extent, 'seconds'> {
  rounds: number;
  /** The time after which no round begins, as `performance.now()`. */
  endBy: number;
}

interface Round extends Measured {
  serverCpuMs: number;
  generatorCpuMs: number;
  elapsedMs: number;
}

/** Runs one row on all targets, with alternating rounds. */
export async function runRow(row: Row, targets: readonly Target[], settings: RunSettings): Promise<Result[]> {
  const runs = new Map<Target, { rounds: Round[]; skipped?: string }>();
  for (const target of targets) {
    const skipped = await row.skip?.(target);
    runs.set(target, { rounds: [], ...(skipped === undefined ? {} : { skipped }) });
  }
  for (let i = 0; i < Math.min(settings.rounds, row.rounds ?? Infinity); i++) {
    for (const [target, run] of runs) {
      if (run.skipped !== undefined) continue;
      if (performance.now() > settings.endBy) run.skipped = 'out of time';
      else await runRound(row, target, settings, run);
    }
  }
  return [...runs].map(([target, run]) => resultOf(row, target, run));
}

async function runRound(
  row: Row,
  target: Target,
  { seconds }: RunSettings,
  run: { rounds: Round[]; skipped?: string },
): Promise<void> {
  try {
    await row.prepare?.(target);
    let counted = usage(target);
    const measured = await row.run(target, { seconds, begin: () => (counted = usage(target)) });
    const now = usage(target);
    run.rounds.push({
      ...measured,
      serverCpuMs: now.server - counted.server,
      generatorCpuMs: now.generator - counted.generator,
      elapsedMs: now.at - counted.at,
    });
  } catch (error) {
    run.skipped = `failed: ${(error as Error).message}`;
  }
}

function usage({ pids }: Target): { at: number; server: number; generator: number } {
  const { user, system } = process.cpuUsage();
  return { at: performance.now(), server: cpuMs(pids), generator: (user + system) / 1000 };
}

function resultOf(row: Row, target: Target, run: { rounds: Round[]; skipped?: string }): Result {
  const { rounds, skipped } = run;
  const total = (of: (round: Round) => number | undefined): number =>
    rounds.reduce((sum, round) => sum + (of(round) ?? 0), 0);
  const operations = total((round) => round.operations);
  return {
    row: row.name,
    target: target.name,
    unit: row.unit,
    rounds: rounds.length,
    ...(skipped === undefined ? {} : { skipped }),
    ...(rounds.length === 0 ? {} : { summary: summarize(rounds.flatMap(({ values }) => values)) }),
    roundMedians: rounds.map(({ values }) => summarize(values).median),
    ...(operations === 0
      ? {}
      : {
          perSecond: operations / total((round) => round.seconds),
          ...(target.pids.length === 0
            ? {}
            : { serverCpuMs: total((round) => round.serverCpuMs) / operations }),
          generatorCpu: total((round) => round.generatorCpuMs) / total((round) => round.elapsedMs),
        }),
  };
}
