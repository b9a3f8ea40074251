import type { SchedulerResult } from './run.ts';

const columns = ['row', 'scheduler', 'Pods / s', 'rounds', 'CPU / Pod', 'memory', 'load'] as const;

/** Returns the lines of the printed table. */
export function schedulerTable(results: readonly SchedulerResult[]): string[] {
  const rows = [
    columns,
    ...results.map(({ row, maker, value, rounds, cpuMs, residentMiB, load }) => [
      row,
      maker,
      value.toFixed(0),
      rounds.map((round) => round.toFixed(0)).join(' '),
      `${cpuMs.toFixed(2)} ms`,
      `${residentMiB.toFixed(0)} MiB`,
      load.toFixed(1),
    ]),
  ];
  const widths = columns.map((_, i) => Math.max(...rows.map((row) => (row[i] ?? '').length)));
  return rows.map((row) =>
    row
      .map((cell, i) => cell.padEnd(widths[i] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}
