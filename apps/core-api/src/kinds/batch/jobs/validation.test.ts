import { FieldPath } from '@annex/machinery';
import { expect, it } from 'vitest';
import { validateJobSpec } from './validation.ts';

it('the errors of a Job have the order of kube-apiserver', () => {
  const errors = validateJobSpec(
    {
      parallelism: -1,
      managedBy: 'a b',
      completionMode: 'Sometimes',
      podFailurePolicy: { rules: [{}] },
      podReplacementPolicy: 'Never',
      template: { spec: { restartPolicy: 'Always' } },
    },
    FieldPath.of('spec'),
  );
  const fields = errors.map(({ field }) => field).filter((field) => !field.startsWith('spec.template'));
  expect([...new Set(fields)]).toEqual([
    'spec.parallelism',
    'spec.managedBy',
    'spec.completionMode',
    'spec.podFailurePolicy.rules[0].action',
    'spec.podFailurePolicy.rules[0]',
    'spec.podReplacementPolicy',
  ]);
});
