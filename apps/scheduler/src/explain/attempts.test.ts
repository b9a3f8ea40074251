import { expect, it } from 'vitest';
import { Diagnosis } from '../framework/diagnosis.ts';
import { Status } from '../framework/status.ts';
import {
  type Attempt,
  Attempts,
  attemptText,
  maxAttemptReasons,
  maxAttemptText,
  maxPodsWithAttempts,
  maxRememberedAttempts,
  refusalsOf,
} from './attempts.ts';

const attempt = (number: number): Attempt => ({
  at: '',
  schedulerName: '',
  number,
  queuedBy: '',
  durationMs: 0,
  result: 'error',
  message: '',
  refusals: [],
});
const pod = (name: string, uid = name) => ({ key: `default/${name}`, uid });

it('the last attempts of a Pod are kept', () => {
  const attempts = new Attempts();
  for (let number = 1; number <= maxRememberedAttempts + 2; number++) attempts.add(pod('a'), attempt(number));
  expect(attempts.of('default/a').map(({ number }) => number)).toEqual([3, 4, 5, 6, 7, 8, 9, 10]);
  attempts.add(pod('a', 'another'), attempt(1));
  expect(attempts.of('default/a')).toHaveLength(1);
});

it('the Pods that were tried last are kept', () => {
  const attempts = new Attempts();
  attempts.add(pod('first'), attempt(1));
  attempts.add(pod('second'), attempt(1));
  attempts.add(pod('first'), attempt(2));
  for (let i = 1; i < maxPodsWithAttempts; i++) attempts.add(pod(String(i)), attempt(1));
  expect(attempts.of('default/first')).toHaveLength(2);
  expect(attempts.of('default/second')).toEqual([]);
});

it('refusals are counted by plugin and reason, those of most nodes first, with examples', () => {
  const diagnosis = new Diagnosis();
  for (let i = 0; i < 5; i++) diagnosis.setNode(`n${i}`, new Status('unschedulable', ['cpu'], 'Fit'));
  for (let i = 0; i <= maxAttemptReasons; i++)
    diagnosis.setNode(`m${i}`, new Status('unschedulable', [`${i}${'x'.repeat(maxAttemptText)}`], 'Own'));
  const refusals = refusalsOf(diagnosis);
  expect(refusals).toHaveLength(maxAttemptReasons);
  expect(refusals[0]).toEqual({ plugin: 'Fit', reason: 'cpu', nodes: 5, examples: ['n0', 'n1', 'n2'] });
  expect(refusals[1]?.reason).toHaveLength(maxAttemptText + 1);
  expect(attemptText('short')).toBe('short');
});
