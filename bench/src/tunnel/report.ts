import type { Memory } from '../process-facts.ts';
import { number } from '../report.ts';
import type { TunnelResult } from './run.ts';

const memoryText = (memory: Memory | undefined): string =>
  memory === undefined ? '' : `${memory.resident.toFixed(0)} MiB, private ${memory.private.toFixed(0)}`;

const columns = ['row', 'programs', 'value', 'unit', 'CPU', 'server', 'agent'] as const;

/** Returns the lines of the printed table. */
export function tunnelTable(results: readonly TunnelResult[]): string[] {
  const rows = [
    columns,
    ...results.map(({ row, maker, value, unit, cpuMs, each, memory: [server, agent] }) => [
      row,
      maker,
      number(value),
      unit,
      Number.isNaN(cpuMs) ? '' : `${number(cpuMs)} ms / ${each}`,
      memoryText(server),
      memoryText(agent),
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
