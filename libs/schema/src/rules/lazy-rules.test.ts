import { declaredType } from '@annex/cel';
import { expect, it } from 'vitest';
import { structuralNode } from '../structural/structural-node.ts';
import { LazyRules } from './lazy-rules.ts';

const nodeOf = (count: number) =>
  structuralNode({
    type: 'string',
    ...(count === 0
      ? {}
      : {
          'x-kubernetes-validations': Array.from({ length: count }, (_, i) => ({ rule: `self != '${i}'` })),
        }),
  });

it('compiles four rules at a time', () => {
  const node = nodeOf(10);
  const rules = new LazyRules(node, declaredType(node, 'object'));
  expect([rules.prepare(), rules.prepare(), rules.prepare()]).toEqual([false, false, true]);
  expect(rules.all()?.map(({ rule }) => rule.rule)).toEqual(node.rules?.map(({ rule }) => rule));
});

it('compiles all rules at once on access', () => {
  const node = nodeOf(10);
  expect(new LazyRules(node, declaredType(node, 'object')).all()).toHaveLength(10);
});

it('has no rules without rules, and is undefined if the values have no type', () => {
  expect(new LazyRules(nodeOf(0), undefined).all()).toEqual([]);
  const untyped = new LazyRules(nodeOf(1), undefined);
  expect([untyped.prepare(), untyped.all()]).toEqual([true, undefined]);
});
