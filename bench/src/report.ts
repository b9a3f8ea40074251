import type { MachineFacts } from './machine.ts';
import type { Result } from './run.ts';

const columns = [
  'row',
  'target',
  'median',
  'p90',
  'p99',
  'unit',
  'per s',
  'server CPU',
  'generator',
] as const;

/** Returns the lines of the printed table. */
export function resultTable(results: readonly Result[]): string[] {
  const rows = [columns, ...results.map(cells)];
  const widths = columns.map((_, i) =>
    Math.max(...rows.map((row) => (row.length === columns.length ? (row[i] ?? '').length : 0))),
  );
  return rows.map((row) =>
    row
      .map((cell, i) =>
        i < 2 || i === 5 || row.length < columns.length
          ? cell.padEnd(widths[i] ?? 0)
          : cell.padStart(widths[i] ?? 0),
      )
      .join('  ')
      .trimEnd(),
  );
}

function cells(result: Result): string[] {
  const { row, target, summary, skipped, unit, perSecond, serverCpuMs, generatorCpu } = result;
  if (summary === undefined) return [row, target, `- ${skipped ?? ''}`];
  return [
    row,
    target,
    number(summary.median),
    number(summary.p90),
    number(summary.p99),
    unit,
    perSecond === undefined ? '' : number(perSecond),
    serverCpuMs === undefined ? '' : `${number(serverCpuMs)} ms`,
    generatorCpu === undefined ? '' : `${(generatorCpu * 100).toFixed(0)} %`,
  ];
}

/** Aligns the cells of a table: the first columns to the left, the others to the right. */
export function alignedLines(rows: readonly (readonly string[])[], left: number): string[] {
  const widths = (rows[0] ?? []).map((_, i) => Math.max(...rows.map((row) => (row[i] ?? '').length)));
  return rows.map((row) =>
    row
      .map((cell, i) => (i < left ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0)))
      .join('  ')
      .trimEnd(),
  );
}

/** Prints a number with three significant digits. */
export function number(value: number): string {
  if (value >= 100) return value.toFixed(0);
  return value >= 10 ? value.toFixed(1) : value.toFixed(2);
}

/** Prints the machine on one line. */
export function machineLine(facts: MachineFacts): string {
  const { cpu, cores, memoryGiB, kernel, node, commit, loadAverage } = facts;
  return `${cpu}, ${cores} cores, ${memoryGiB} GiB, ${kernel}, node ${node}, commit ${commit}, load ${loadAverage.join(' ')}`;
}
