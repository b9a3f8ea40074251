import { FieldPath, fieldErrorText, maxFieldErrors } from '@annex/machinery';
import { expect, it } from 'vitest';
import { quotaSpec } from './validation.ts';

const spec = FieldPath.of('spec');
const list = <T>(length: number, item: (i: number) => T): T[] => Array.from({ length }, (_, i) => item(i));

it('reports each limited name that does not match each scope', () => {
  const errors = quotaSpec({ hard: { 'limits.cpu': '1', pods: '1' }, scopes: ['BestEffort', 'X'] }, spec);
  expect(errors.map(fieldErrorText)).toEqual([
    'spec.scopes: Invalid value: ["BestEffort","X"]: unsupported scope applied to resource',
    'spec.scopes: Invalid value: ["BestEffort","X"]: unsupported scope',
  ]);
});

it.each([
  ['scopes', { scopes: list(60_000, () => 'BestEffort') }],
  [
    'requirements of a scope selector',
    {
      scopeSelector: {
        matchExpressions: list(60_000, () => ({ scopeName: 'BestEffort', operator: 'Exists' })),
      },
    },
  ],
])('60,000 %s and 60,000 names take linear time', (_what, scopes) => {
  const hard = Object.fromEntries(list(60_000, (i) => [`hugepages-${i}`, '1']));
  expect(quotaSpec({ hard, ...scopes }, spec).length).toBeGreaterThan(maxFieldErrors);
  // All of these names match the scope.
  expect(quotaSpec({ hard: { pods: '1' }, ...scopes }, spec)).toEqual([]);
});
