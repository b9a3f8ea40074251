import { expect, test } from 'vitest';
import type { LimitConfig } from '../limit-options.ts';
import { withDividedLimits } from './divided-limits.ts';

test.each([
  ['a limit that is a multiple of the threads', 400, 2, [200, 200]],
  ['a limit that is not', 401, 4, [100, 100, 100, 101]],
  ['no limit', 0, 3, [0, 0, 0]],
  ['a limit below the number of threads: each of them serves one request', 1, 2, [1, 1]],
])('%s', (_, maxRequestsInflight, size, expected) => {
  const config = { maxRequestsInflight } as LimitConfig;
  const shares = expected.map((_share, index) => withDividedLimits(config, { index, size }));
  expect(shares.map((share) => share.maxRequestsInflight)).toEqual(expected);
});
