import { parseOptions } from '@annex/runtime';
import { expect, it } from 'vitest';
import { auditConflicts, auditOptions } from './audit-options.ts';

it.each([
  ['by default', [], []],
  [
    'with empty batches',
    ['--audit-webhook-truncate-max-batch-size=1000'],
    ['invalid audit truncate webhook max batch size 1000, must be greater than max event size (102400)'],
  ],
  [
    'with a limit of zero',
    ['--audit-log-mode=batch', '--audit-log-batch-throttle-enable', '--audit-log-batch-throttle-qps=5'],
    ['invalid audit batch log throttle burst 0, must be a positive number'],
  ],
  ['with a limit that the mode does not use', ['--audit-log-batch-throttle-enable'], []],
])('the errors of audit options %s', (_, argv, errors) => {
  const parsed = parseOptions(auditOptions, argv, {}, auditConflicts);
  expect(parsed.kind === 'errors' ? parsed.errors.map(({ message }) => message) : []).toEqual(errors);
});
