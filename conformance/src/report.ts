import type { Outcome } from './play-all.ts';

/** Passed, failed and skipped cases of an area. */
export interface AreaCount {
  area: string;
  passed: number;
  failed: number;
  skipped: number;
}

export const hasPassed = ({ problems }: Outcome): boolean => problems?.length === 0;
export const hasFailed = ({ problems }: Outcome): boolean => problems !== undefined && problems.length > 0;

/** Counts the cases of each area, in the order of the first case. */
export function countAreas(outcomes: readonly Outcome[]): AreaCount[] {
  return [...Map.groupBy(outcomes, ({ played }) => played.area)].map(([area, list]) => ({
    area,
    passed: list.filter(hasPassed).length,
    failed: list.filter(hasFailed).length,
    skipped: list.filter(({ problems }) => problems === undefined).length,
  }));
}

/** Formats the counts as a table for a terminal. */
export function areaTable(counts: readonly AreaCount[]): string {
  const sum = (field: 'passed' | 'failed' | 'skipped') =>
    counts.reduce((total, count) => total + count[field], 0);
  const total: AreaCount = {
    area: 'all',
    passed: sum('passed'),
    failed: sum('failed'),
    skipped: sum('skipped'),
  };
  const rows = [...counts, total].map(({ area, passed, failed, skipped }) => [
    area,
    String(passed),
    String(failed),
    String(skipped),
    passed + failed === 0 ? '-' : `${((100 * passed) / (passed + failed)).toFixed(0)} %`,
  ]);
  const cells = [['area', 'passed', 'not passing', 'skipped', 'percent'], ...rows];
  const widths = [0, 1, 2, 3, 4].map((column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
  return cells
    .map((row) =>
      row
        .map((cell, i) => (i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0)))
        .join('  '),
    )
    .join('\n');
}

/** The differences between the results and the list of cases that do not pass. */
export interface Surprises {
  /** Listed cases that pass. */
  passing: string[];
  /** Cases that do not pass and are not listed. */
  failing: string[];
}

/** Compares results with the list. */
export function compareWithList(outcomes: readonly Outcome[], listed: ReadonlySet<string>): Surprises {
  const names = (which: (outcome: Outcome) => boolean) =>
    outcomes.filter(which).map(({ played }) => played.name);
  return {
    passing: names(hasPassed).filter((name) => listed.has(name)),
    failing: names(hasFailed).filter((name) => !listed.has(name)),
  };
}
