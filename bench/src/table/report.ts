import { alignedLines, number } from '../report.ts';
import { geometricMean } from '../statistics.ts';
import type { Side, TableResult } from './run.ts';
import type { TableRow } from './rows.ts';

/** The goal of the processor time for all rows. */
const cpuGoal = 8;

/** What is printed of a row: how many times better the first server is, by its best slice and by CPU time. */
export interface Comparison {
  row: string;
  unit: string;
  goal: number;
  /** The best slice of each server, because other work on the machine only makes slices worse. */
  best: number[];
  times: number;
  /** The least CPU time of each server for an operation, or for the row. */
  cpuMs: number[];
  cpuTimes: number;
  /** The bare server of Node: its best slice, and its CPU time. */
  bare?: { best: number; cpuMs: number };
}

/** Compares the first server with the second. */
export function compare(results: readonly TableResult[]): Comparison[] {
  const rows = results.map(({ row, sides }) => compareRow(row, sides));
  const totals = [0, 1].map((i) => results.reduce((sum, { sides }) => sum + total(sides[i]?.cpuMs ?? []), 0));
  const times = (totals[1] ?? Number.NaN) / (totals[0] ?? Number.NaN);
  const best = totals.map((ms) => ms / 1000);
  return [
    ...rows,
    { row: 'CPU time of all rows', unit: 's', goal: cpuGoal, best, times, cpuMs: [], cpuTimes: Number.NaN },
  ];
}

const total = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);

function compareRow({ name, unit, goal, operations = 1 }: TableRow, sides: Side[]): Comparison {
  const isRate = unit === 'per s';
  const bests = sides.map(({ values }) =>
    values.length === 0 ? Number.NaN : isRate ? Math.max(...values) : Math.min(...values),
  );
  const cpus = sides.map(({ cpuMs }) => Math.min(...cpuMs) / operations);
  const [best, cpu] = [bests.slice(0, 2), cpus.slice(0, 2)];
  const [bareBest, bareCpuMs] = [bests[2], cpus[2]];
  const ratio = ([first = Number.NaN, second = Number.NaN]: number[]): number => second / first;
  const times = isRate ? 1 / ratio(best) : ratio(best);
  const bare = bareBest !== undefined && bareCpuMs !== undefined && { best: bareBest, cpuMs: bareCpuMs };
  return { row: name, unit, goal, best, times, cpuMs: cpu, cpuTimes: ratio(cpu), ...(bare && { bare }) };
}

const columns = [
  ...['row', 'unit', 'annex', 'kube + etcd', 'times', 'goal', 'CPU ms', 'CPU ms', 'times'],
  ...['bare Node', 'CPU ms'],
];

/** Returns the lines of the table, and the geometric mean of what was reached of the goals. */
export function tableLines(comparisons: readonly Comparison[]): string[] {
  const cells = comparisons.map(({ row, unit, goal, best, times, cpuMs, cpuTimes, bare }) => [
    row,
    unit,
    ...best.map(number),
    number(times),
    String(goal),
    ...(Number.isFinite(cpuTimes) ? [...cpuMs, cpuTimes].map(number) : ['', '', '']),
    ...(bare ? [bare.best, bare.cpuMs].map(number) : ['', '']),
  ]);
  const measured = comparisons.filter(({ times }) => Number.isFinite(times));
  const reached = geometricMean(measured.map(({ times, goal }) => times / goal));
  const worst = measured.reduce((least, row) => (row.times < least.times ? row : least));
  return [
    ...alignedLines([columns, ...cells], 2),
    `geometric mean of times / goal: ${number(reached)}; the lowest row: ${worst.row}, ${number(worst.times)} times`,
  ];
}
