import type { TurnResult } from './run.ts';

/** No turn of the event loop should be longer. */
const limitMs = 20;

const numbersOf = (values: readonly number[]): string => values.map((value) => value.toFixed(1)).join(', ');

/** Returns the line of a step, whose collections of garbage are counted apart. */
function stepLine({ shape, row, ms, ownMs = [], above = [], reports }: TurnResult): string {
  const best = Math.min(...ownMs);
  const mark = best > limitMs ? '!' : ' ';
  const profile = reports[ownMs.indexOf(best)] ?? 0;
  return `${mark} ${shape}: ${row.padEnd(32)} ${best.toFixed(1).padStart(6)} ms of ${numbersOf(ownMs)}, ${above.join(', ')} above ${limitMs}; with gc ${numbersOf(ms)} (${profile})`;
}

/** Returns the line of a request: the best of its repetitions, because other work only makes turns longer. */
export function turnLine(result: TurnResult): string {
  const { shape, row, status, ms, gcMs, ownMs, reports } = result;
  if (ownMs !== undefined) return stepLine(result);
  const best = Math.min(...ms);
  const numbers = numbersOf(ms);
  const mark = best > limitMs ? '!' : ' ';
  const collected = (gcMs[ms.indexOf(best)] ?? 0).toFixed(1);
  const profile = reports[ms.indexOf(best)] ?? 0;
  return `${mark} ${shape}: ${row.padEnd(26)} ${String(status)} ${best.toFixed(1).padStart(6)} ms of ${numbers}, gc ${collected} (${profile})`;
}

/** Returns the longest turn of each shape, and how many requests had one above the limit. */
export function turnSummary(results: readonly TurnResult[]): string[] {
  const shapes = Map.groupBy(results, ({ shape }) => shape);
  return [...shapes].map(([shape, rows]) => {
    const best = rows.map(({ ms, ownMs = ms }) => Math.min(...ownMs));
    const above = best.filter((value) => value > limitMs).length;
    return `${shape.padEnd(34)} ${Math.max(...best)
      .toFixed(1)
      .padStart(6)} ms, ${above} of ${rows.length} above ${limitMs}`;
  });
}
