import { expect, test } from 'vitest';
import { percentile, summarize } from './statistics.ts';

const hundred = Array.from({ length: 100 }, (_, i) => 100 - i);

test.each([
  ['one value is every percentile', [7], { count: 1, median: 7, p90: 7, p99: 7, max: 7 }],
  ['values need not be sorted', hundred, { count: 100, median: 50, p90: 90, p99: 99, max: 100 }],
  ['the median of two is the lower one', [1, 3], { count: 2, median: 1, p90: 3, p99: 3, max: 3 }],
])('%s', (_, values, expected) => {
  expect(summarize(values)).toEqual(expected);
});

test('no values have no percentile', () => {
  expect(percentile([], 0.5)).toBeNaN();
});
