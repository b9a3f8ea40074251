import { expect, it } from 'vitest';
import { passed } from '../../../scripts/passed-cases.ts';

it.each<[what: string, output: string, count: number]>([
  [
    'specs of Ginkgo, with and without colors, but not the test that runs them',
    '=== RUN   TestAll\nRunning Suite: All\nRan 3 of 4 Specs in 1 seconds\n\x1b[1mSUCCESS!\x1b[0m -- \x1b[1m3 Passed\x1b[0m | 0 Failed | 1 Pending\n--- PASS: TestAll (1s)\nSUCCESS! -- 2 Passed | 0 Failed\n',
    5,
  ],
  [
    'tests beside specs',
    '=== RUN   TestAll\nRunning Suite: All\nSUCCESS! -- 2 Passed | 0 Failed\n--- PASS: TestAll (1s)\n=== RUN   TestB\n--- PASS: TestB (0.00s)\n',
    3,
  ],
  [
    'subtests, and not the tests that have them',
    '--- PASS: TestA (0.00s)\n    --- PASS: TestA/one (0.00s)\n        --- PASS: TestA/one/a (0.00s)\n    --- PASS: TestA/two (0.00s)\n--- PASS: TestB (0.00s)\n',
    3,
  ],
  ['a failed subtest', '--- FAIL: TestA (0.00s)\n    --- FAIL: TestA/one\n    --- PASS: TestA/two\n', 1],
  ['no test', 'FAIL example.com [build failed]\n', 0],
])('%s are counted', (_what, output, count) => {
  expect(passed(output)).toBe(count);
});
