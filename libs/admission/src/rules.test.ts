import fc from 'fast-check';
import { finish } from '@annex/machinery';
import type { ResourceKind } from '@annex/kinds';
import { expect, it } from 'vitest';
import { compileRules, matchedKind, type Rule, type RuleSubject } from './rules.ts';

type Kind = Pick<ResourceKind, 'group' | 'version' | 'resource'>;
type Subject = Omit<RuleSubject, 'kind'> & { kind: Kind };

const find = (
  rules: readonly Rule[],
  policy: string | undefined,
  subject: Subject,
  others: readonly Kind[],
) =>
  matchedKind(
    finish(compileRules(rules)),
    policy,
    subject as Subject & { kind: ResourceKind },
    () => others as ResourceKind[],
  );

/** The documented meaning: each rule is compared with each kind. */
function firstOf(
  rules: readonly Rule[],
  policy: string | undefined,
  subject: Subject,
  others: readonly Kind[],
): Kind | undefined {
  const has = (list: readonly string[], value: string) => list.includes(value) || list.includes('*');
  const { subresource: sub, namespace, name, operation } = subject;
  const matches = (rule: Rule, { group, version, resource }: Kind) =>
    has(rule.operations ?? [], operation) &&
    has(rule.apiGroups ?? [], group) &&
    has(rule.apiVersions ?? [], version) &&
    [resource, '*'].some((one) =>
      [sub, '*'].some((other) => rule.resources?.includes(other === '' ? one : `${one}/${other}`)),
    ) &&
    (rule.scope !== 'Cluster' || namespace === '') &&
    (rule.scope !== 'Namespaced' || namespace !== '') &&
    (!rule.resourceNames?.length || rule.resourceNames.includes(name));
  if (rules.some((rule) => matches(rule, subject.kind))) return subject.kind;
  if (policy === 'Exact') return undefined;
  return rules.flatMap((rule) => others.filter((kind) => matches(rule, kind)))[0];
}

const some = (...values: string[]) => fc.subarray(values);
const kinds = fc.record({
  group: fc.constantFrom('', 'a', 'b'),
  version: fc.constantFrom('v1', 'v2'),
  resource: fc.constantFrom('x', 'y'),
});
const rules = fc.array(
  fc.record(
    {
      operations: some('CREATE', 'UPDATE', '*'),
      apiGroups: some('', 'a', 'b', '*'),
      apiVersions: some('v1', 'v2', '*'),
      resources: some('y', 'x', 'x/s', 'x/*', '*', '*/s', '*/*', 'y/t').chain((list) =>
        fc.shuffledSubarray(list),
      ),
      scope: fc.constantFrom('*', 'Cluster', 'Namespaced'),
      resourceNames: some('n', 'o'),
    },
    { requiredKeys: ['operations', 'apiGroups', 'apiVersions', 'resources'] },
  ),
  { maxLength: 8 },
);
const subjects = fc.record({
  operation: fc.constantFrom('CREATE', 'UPDATE'),
  kind: kinds,
  subresource: fc.constantFrom('', 's', 't'),
  namespace: fc.constantFrom('', 'ns'),
  name: fc.constantFrom('n', 'm'),
});

it('indexed rules match what each of them matches', () => {
  const policies = fc.constantFrom(undefined, 'Equivalent', 'Exact');
  fc.assert(
    fc.property(rules, policies, subjects, fc.array(kinds), (list, policy, subject, others) => {
      expect(finish(find(list, policy, subject, others))).toBe(firstOf(list, policy, subject, others));
    }),
    { numRuns: 2000 },
  );
});

const every = { operations: ['*'], apiGroups: ['*'], apiVersions: ['*'] };
const createPod: Subject = {
  operation: 'CREATE',
  kind: { group: '', version: 'v1', resource: 'pods' },
  subresource: '',
  namespace: 'ns',
  name: 'p',
};
const range = <T>(length: number, item: (i: number) => T): T[] => Array.from({ length }, (_, i) => item(i));

it.each<[string, Rule[], Kind[], number]>([
  ['of other resources in one', range(10_000, (i) => ({ ...every, resources: [`r${i}`] })), [], 0],
  [
    'of one resource in many',
    range(10_000, () => ({ ...every, operations: ['X'], resources: ['pods'] })),
    [],
    19,
  ],
  [
    'with long lists in many',
    range(100, () => ({ ...every, apiGroups: range(10_000, (i) => `g${i}`), resources: ['pods'] })),
    [],
    19,
  ],
  [
    'and equivalent kinds in many',
    range(100, () => ({ ...every, operations: ['X'], resources: ['*'] })),
    range(100, (i) => ({ group: '', version: `v${i}`, resource: 'pods' })),
    19,
  ],
])('a request is compared with many rules %s passes', (_, list, others, least) => {
  const pauses = [...find(list, undefined, createPod, others)].length;
  expect(Math.min(pauses, least || pauses)).toBe(least);
});

it('rules are compiled in passes', () => {
  const list = [{ ...every, resources: range(10_000, (i) => `r${i}/s`) }];
  expect([...compileRules(list)].length).toBeGreaterThan(10);
});
