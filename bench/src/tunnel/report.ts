import { number } from '../report.ts';
import type { TunnelResult } from './run.ts';

const columns = ['row', 'programs', 'value', 'unit', 'CPU', 'server', 'agent'] as const;

/** Returns the lines of the printed table. */
export function tunnelTable(results: readonly TunnelResult[]): string[] {
  const rows = [
    columns,
    ...results.map(({ row, maker, value, unit, cpuMs, each, serverMiB, agentMiB }) => [
      row,
      maker,
      number(value),
      unit,
      `${number(cpuMs)} ms / ${each}`,
      `${serverMiB.toFixed(0)} MiB`,
      `${agentMiB.toFixed(0)} MiB`,
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
