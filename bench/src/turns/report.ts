import type { TurnResult } from './run.ts';

/** No turn of the event loop should be longer. */
const limitMs = 20;

/** Returns the line of a request: the best of its repetitions, because other work only makes turns longer. */
export function turnLine({ shape, row, status, ms, gcMs, reports }: TurnResult): string {
  const best = Math.min(...ms);
  const numbers = ms.map((value) => value.toFixed(1)).join(', ');
  const mark = best > limitMs ? '!' : ' ';
  const collected = (gcMs[ms.indexOf(best)] ?? 0).toFixed(1);
  const profile = reports[ms.indexOf(best)] ?? 0;
  return `${mark} ${shape}: ${row.padEnd(26)} ${String(status)} ${best.toFixed(1).padStart(6)} ms of ${numbers}, gc ${collected} (${profile})`;
}

/** Returns the longest turn of each shape, and how many requests had one above the limit. */
export function turnSummary(results: readonly TurnResult[]): string[] {
  const shapes = Map.groupBy(results, ({ shape }) => shape);
  return [...shapes].map(([shape, rows]) => {
    const best = rows.map(({ ms }) => Math.min(...ms));
    const above = best.filter((value) => value > limitMs).length;
    return `${shape.padEnd(34)} ${Math.max(...best)
      .toFixed(1)
      .padStart(6)} ms, ${above} of ${rows.length} above ${limitMs}`;
  });
}
