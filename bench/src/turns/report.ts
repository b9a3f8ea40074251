import type { TurnResult } from './turn-result.ts';

/** No turn of the event loop should be longer. */
const limitMs = 20;

const numbersOf = (values: readonly number[]): string => values.map((value) => value.toFixed(1)).join(', ');

/** Returns the line of a request or a step: the best of its repetitions, because other work only makes turns longer. Collections of garbage are counted apart. */
export function turnLine({ shape, row, status, ms, gcMs, ownMs, above, reports }: TurnResult): string {
  const best = Math.min(...ownMs);
  const index = ownMs.indexOf(best);
  const mark = best > limitMs ? '!' : ' ';
  const counted = above === undefined ? String(status) : `${above.join(', ')} above ${limitMs},`;
  const longest = `with gc ${numbersOf(ms)} (gc ${numbersOf(gcMs)})`;
  return `${mark} ${shape}: ${row.padEnd(32)} ${counted} ${best.toFixed(1).padStart(6)} ms of ${numbersOf(ownMs)}; ${longest} (${reports[index] ?? 0})`;
}

/** Returns how many requests of a row had an unexpected status, and the first of them. */
export const unexpectedLines = ({ shape, row, unexpected }: TurnResult): string[] =>
  unexpected.length === 0 ? [] : [`? ${shape}: ${row}: ${unexpected.length} unexpected, ${unexpected[0]}`];

/** Returns the longest turn of each shape, and how many requests had one above the limit. */
export function turnSummary(results: readonly TurnResult[]): string[] {
  const shapes = Map.groupBy(results, ({ shape }) => shape);
  return [...shapes].map(([shape, rows]) => {
    const best = rows.map(({ ownMs }) => Math.min(...ownMs));
    const above = best.filter((value) => value > limitMs).length;
    return `${shape.padEnd(34)} ${Math.max(...best)
      .toFixed(1)
      .padStart(6)} ms, ${above} of ${rows.length} above ${limitMs}`;
  });
}
