import { parseOptions } from '@annex/runtime';
import { expect, it } from 'vitest';
import { auditConflicts, auditOptions } from './audit-options.ts';

it.each([
  ['as it is', [], []],
  [
    'with batches that hold no event',
    ['--audit-webhook-truncate-max-batch-size=1000'],
    ['invalid audit truncate webhook max batch size 1000, must be greater than max event size (102400)'],
  ],
  [
    'with a limit of nothing',
    ['--audit-log-mode=batch', '--audit-log-batch-throttle-enable', '--audit-log-batch-throttle-qps=5'],
    ['invalid audit batch log throttle burst 0, must be a positive number'],
  ],
  ['with a limit that the mode has no use for', ['--audit-log-batch-throttle-enable'], []],
])('audit %s is told what is wrong', (_, argv, errors) => {
  const parsed = parseOptions(auditOptions, argv, {}, auditConflicts);
  expect(parsed.kind === 'errors' ? parsed.errors.map(({ message }) => message) : []).toEqual(errors);
});
