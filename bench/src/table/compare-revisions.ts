import { alignedLines, number } from '../report.ts';
import { geometricMean } from '../statistics.ts';
import { programIn } from '../target.ts';
import { type Comparison, compare } from './report.ts';
import { checkOut } from './revision.ts';
import { runTable, type TableSettings } from './run.ts';
import { startTableAnnex } from './servers.ts';

/** How many times better this checkout is than another commit; 1 means the same. */
export interface RevisionComparison {
  row: string;
  times: number;
  cpuTimes: number;
  /** Both orders of the servers. */
  orders: Comparison[];
}

/** Measures this checkout and another commit, with each of them started first once. */
export async function compareRevisions(
  ref: string,
  settings: TableSettings,
): Promise<{ lines: string[]; results: RevisionComparison[] }> {
  using revision = checkOut(ref);
  const other = { name: revision.commit, program: programIn(revision.root) };
  const orders = [await measure(false), await measure(true)];
  const results = bothOrders(orders);
  return { lines: comparisonLines(results), results };

  async function measure(otherFirst: boolean): Promise<Comparison[]> {
    await using stack = new AsyncDisposableStack();
    const starts = [() => startTableAnnex(), () => startTableAnnex(undefined, other)];
    const servers = [];
    for (const start of otherFirst ? starts.reverse() : starts) servers.push(stack.use(await start()));
    const results = await runTable(servers, settings);
    if (otherFirst) for (const { sides } of results) sides.reverse();
    return compare(results);
  }
}

/** Joins the rows of both orders: the ratio is their geometric mean. */
export function bothOrders([first = [], second = []]: readonly Comparison[][]): RevisionComparison[] {
  return first.map((row, i) => {
    const orders = [row, second[i] ?? row];
    const mean = (of: (order: Comparison) => number): number => geometricMean(orders.map(of));
    return {
      row: row.row,
      times: mean(({ times }) => times),
      cpuTimes: mean(({ cpuTimes }) => cpuTimes),
      orders,
    };
  });
}

function comparisonLines(results: readonly RevisionComparison[]): string[] {
  const cells = results.map(({ row, times, cpuTimes, orders }) => [
    row,
    number(times),
    Number.isFinite(cpuTimes) ? number(cpuTimes) : '',
    orders.map((order) => number(order.cpuTimes)).join(', '),
  ]);
  return alignedLines([['row', 'times better', 'by CPU time', 'each order'], ...cells], 1);
}
