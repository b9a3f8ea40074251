import { expect, test } from 'vitest';
import { createIdleFlags } from './idle-memory.ts';

const idle = '--optimize-for-size';
const busy = '--no-optimize-for-size';
const times = (count: number, usedMs: number): number[] => Array.from({ length: count }, () => usedMs);

test.each<[what: string, usedMs: number[], flags: [check: number, flag: string][]]>([
  ['idle from the start', times(122, 3), [[0, idle]]],
  [
    'idle, then busy',
    [3, 3, 400, 400],
    [
      [0, idle],
      [2, busy],
    ],
  ],
  ['busy at the start', [400, ...times(119, 3)], []],
  ['idle for two minutes after load', [400, ...times(120, 3)], [[120, idle]]],
  ['idle for almost two minutes twice', [400, ...times(119, 3), 50, ...times(119, 3)], []],
])('memory of a process that is %s', (_what, usedMs, flags) => {
  const flagAfter = createIdleFlags();
  const set = usedMs.map((ms, check) => [check, flagAfter(ms)] as const);
  expect(set.filter(([, flag]) => flag !== undefined)).toEqual(flags);
});
