import { expect, it } from 'vitest';
import { passed } from '../../../scripts/passed-cases.ts';

it.each<[what: string, output: string, count: number]>([
  [
    'specs of Ginkgo, with and without colors',
    'Ran 3 of 4 Specs in 1 seconds\n\x1b[1mSUCCESS!\x1b[0m -- \x1b[1m3 Passed\x1b[0m | 0 Failed | 1 Pending\n--- PASS: TestAll (1s)\nSUCCESS! -- 2 Passed | 0 Failed\n',
    5,
  ],
  [
    'tests, without their subtests',
    '--- PASS: TestA (0.00s)\n    --- PASS: TestA/one (0.00s)\n    --- PASS: TestA/two (0.00s)\n--- PASS: TestB (0.00s)\n',
    2,
  ],
  ['a failed subtest', '--- FAIL: TestA (0.00s)\n    --- FAIL: TestA/one\n    --- PASS: TestA/two\n', 0],
  ['no test', 'FAIL example.com [build failed]\n', 0],
])('%s are counted', (_what, output, count) => {
  expect(passed(output)).toBe(count);
});
