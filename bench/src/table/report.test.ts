import { expect, test } from 'vitest';
import { bothOrders } from './compare-revisions.ts';
import { compare, tableLines } from './report.ts';
import type { TableResult } from './run.ts';

const run = (): Promise<number> => Promise.resolve(0);

const results: TableResult[] = [
  {
    row: { name: 'get', unit: 'per s', goal: 6, slices: 2, operations: 100, run },
    sides: [
      { values: [400, 600], cpuMs: [60, 50] },
      { values: [100, 50], cpuMs: [450, 460] },
    ],
  },
  {
    row: { name: 'event', unit: 'ms', goal: 3, slices: 2, run },
    sides: [
      { values: [4, 2], cpuMs: [10, 10] },
      { values: [6, 8], cpuMs: [11, 10] },
    ],
  },
];

test('the best slices are compared: the highest rate, the shortest time', () => {
  const [get, event] = compare(results);
  expect(get).toMatchObject({ best: [600, 100], times: 6, cpuMs: [0.5, 4.5], cpuTimes: 9 });
  expect(event).toMatchObject({ best: [2, 6], times: 3, cpuMs: [10, 10], cpuTimes: 1 });
});

test('the bare server of Node is shown beside a row, and counts for no ratio', () => {
  const row: TableResult['row'] = { name: 'get', unit: 'per s', goal: 6, slices: 1, operations: 100, run };
  const sides = [500, 100, 900].map((value, i) => ({ values: [value], cpuMs: [10 * (i + 1)] }));
  const [get, all] = compare([{ row, sides }]);
  expect(get).toMatchObject({ best: [500, 100], times: 5, bare: { best: 900, cpuMs: 0.3 } });
  expect(all?.times).toBe(2);
  expect(tableLines([get!])[1]?.trimEnd()).toMatch(/900 +0\.30$/);
});

test('the CPU time of all rows is the last row, and the last line has the mean of what was reached of the goals', () => {
  const comparisons = compare(results);
  expect(comparisons.at(-1)).toMatchObject({ row: 'CPU time of all rows', goal: 8 });
  expect(comparisons.at(-1)?.times).toBeCloseTo(931 / 130);
  expect(tableLines(comparisons.slice(0, 2)).at(-1)).toBe(
    'geometric mean of times / goal: 1.00; the lowest row: event, 3.00 times',
  );
});

test('of two orders, the geometric mean counts', () => {
  const [get] = compare(results);
  if (get === undefined) throw new Error('no row');
  const [joined] = bothOrders([[get], [{ ...get, times: 1.5, cpuTimes: 4 }]]);
  expect([joined?.times, joined?.cpuTimes]).toEqual([expect.closeTo(3), expect.closeTo(6)]);
});
