import { finish } from '@annex/machinery';
import { describe, expect, it } from 'vitest';
import { escalationError } from './escalation.ts';
import * as covers from './rbac-covers.ts';
import { CompiledRule } from './rbac-rule.ts';
import type { PolicyRule } from './rbac-types.ts';
import { userOf } from './rbac.fixture.ts';

const rule = (
  apiGroups: string[],
  resources: string[],
  verbs: string[],
  resourceNames?: string[],
): PolicyRule => ({
  apiGroups,
  resources,
  verbs,
  ...(resourceNames ? { resourceNames } : {}),
});
const path = (nonResourceURLs: string[], verbs: string[]): PolicyRule => ({ nonResourceURLs, verbs });

const compiled = (rules: readonly PolicyRule[]) => rules.map((own) => new CompiledRule(own));
const uncoveredRules = (own: readonly PolicyRule[], requested: readonly PolicyRule[]) =>
  finish(covers.uncoveredRules(compiled(own), requested));
const texts = (length: number) => Array.from({ length }, (_, i) => `a${i}`);
const manyRules = (group: string) => texts(1000).map((name) => rule([group], [name], ['get']));

describe('uncoveredRules', () => {
  const rows: [string, PolicyRule[], PolicyRule[], PolicyRule[]][] = [
    ['the same rule is covered', [rule([''], ['pods'], ['get'])], [rule([''], ['pods'], ['get'])], []],
    [
      'several rules cover one together',
      [rule([''], ['pods'], ['get']), rule([''], ['pods'], ['list'])],
      [rule([''], ['pods'], ['get', 'list'])],
      [],
    ],
    [
      'stars cover everything but paths',
      [rule(['*'], ['*'], ['*'])],
      [rule(['a'], ['b/c'], ['d']), path(['/x'], ['get'])],
      [path(['/x'], ['get'])],
    ],
    [
      'a star subresource covers subresources',
      [rule([''], ['*/status'], ['get'])],
      [rule([''], ['pods/status', 'pods'], ['get'])],
      [rule([''], ['pods'], ['get'])],
    ],
    ['all names cover some', [rule([''], ['pods'], ['get'])], [rule([''], ['pods'], ['get'], ['a'])], []],
    [
      'some names do not cover all',
      [rule([''], ['pods'], ['get'], ['a'])],
      [rule([''], ['pods'], ['get'])],
      [rule([''], ['pods'], ['get'])],
    ],
    [
      'a path prefix covers the paths below it',
      [path(['/logs/*'], ['get'])],
      [path(['/logs/a', '/other'], ['get'])],
      [path(['/other'], ['get'])],
    ],
  ];
  it.each(rows)('%s', (_, own, requested, expected) => {
    expect(uncoveredRules(own, requested)).toEqual(expected);
  });

  const hugeRule = rule(texts(200), texts(200), texts(200), texts(200));

  it('covers a rule of a billion permissions by a rule with the same lists', () => {
    expect(uncoveredRules([rule([''], [''], ['']), hugeRule], [hugeRule])).toEqual([]);
  });

  it('reports a rule of a billion permissions, beyond maxGrantedChars, as a whole', () => {
    expect(uncoveredRules([rule(['*'], ['*'], ['a0'])], [hugeRule])).toEqual([hugeRule]);
  });

  it('takes no more comparisons than maxGrantChecks', () => {
    const own = Array.from({ length: 100_000 }, (_, i) => path([`/${i}`], ['get']));
    const requested = path(
      Array.from({ length: 10_000 }, (_, i) => `/${i + 200_000}`),
      ['get'],
    );
    expect(uncoveredRules(own, [requested])).toHaveLength(10_000);
  });

  it('covers long lists only if all of their values are covered', () => {
    const long = rule(['a'], ['b'], texts(10_000), ['n']);
    expect(uncoveredRules([rule(['a'], ['b'], ['x']), long], [long])).toEqual([]);
    expect(uncoveredRules([rule(['a'], ['b'], texts(9999), ['n'])], [long])).toEqual([
      rule(['a'], ['b'], ['a9999'], ['n']),
    ]);
    expect(uncoveredRules([rule(['a'], ['b'], texts(10_000), ['m'])], [long])).toHaveLength(10_000);
  });

  it('reads null instead of a list as an empty list', () => {
    const withNull = { verbs: ['get'], apiGroups: null, nonResourceURLs: ['/a'] } as unknown as PolicyRule;
    expect(uncoveredRules([withNull], [withNull])).toEqual([]);
  });
});

describe('escalationError', () => {
  it('joins as many verbs as a request can hold', () => {
    const verbs = Array.from({ length: 200_000 }, (_, i) => `${i}`);
    const granted = [rule(['a'], ['b'], verbs), rule(['a'], ['b'], verbs)];
    const error = finish(escalationError(userOf('bob'), { compiled: [], dangling: [] }, granted, 'roles'));
    expect(error?.split('\n')).toHaveLength(2);
  });

  it('lists what is missing, joined by verb and sorted', () => {
    const own = { compiled: compiled([rule([''], ['configmaps'], ['get'])]), dangling: [] };
    const granted = [rule(['', 'apps'], ['secrets', 'configmaps'], ['get', 'list']), path(['/x'], ['get'])];
    expect(finish(escalationError(userOf('bob', 'g', 'h'), own, granted, 'roles'))).toBe(
      [
        'user "bob" (groups=["g" "h"]) is attempting to grant RBAC permissions not currently held:',
        '{APIGroups:[""], Resources:["configmaps"], Verbs:["list"]}',
        '{APIGroups:[""], Resources:["secrets"], Verbs:["get" "list"]}',
        '{APIGroups:["apps"], Resources:["configmaps"], Verbs:["get" "list"]}',
        '{APIGroups:["apps"], Resources:["secrets"], Verbs:["get" "list"]}',
        '{NonResourceURLs:["/x"], Verbs:["get"]}',
      ].join('\n'),
    );
  });

  it.each<[string, PolicyRule[], PolicyRule[]]>([
    ['many rules with those of the user', manyRules('a'), manyRules('b')],
    ['many rules of a user without any', [], manyRules('b')],
    ['a rule of many verbs', [], [rule(['a'], ['b'], texts(10_000))]],
    ['a rule of many permissions', [], [rule(texts(20), texts(20), texts(20))]],
  ])('compares and lists %s in passes', (_, own, granted) => {
    const rules = { compiled: compiled(own), dangling: [] };
    expect([...escalationError(userOf('bob'), rules, granted, 'roles')].length).toBeGreaterThan(5);
  });

  it('returns nothing if the user has all permissions', () => {
    const own = { compiled: compiled([rule(['*'], ['*'], ['*'])]), dangling: [] };
    expect(finish(escalationError(userOf('bob'), own, [rule(['a'], ['b'], ['c'])], 'roles'))).toBeUndefined();
  });

  it('names each reference once that leads to no role, under the resource of the request', () => {
    const dangling = ['gone', 'gone', 'lost'].map((name) => ({ apiGroup: '', kind: 'ClusterRole', name }));
    const granted = [rule([''], ['pods'], ['get'])];
    expect(
      finish(escalationError(userOf('bob', 'g'), { compiled: [], dangling }, granted, 'rolebindings')),
    ).toBe(
      [
        'user "bob" (groups=["g"]) is attempting to grant RBAC permissions not currently held:',
        '{APIGroups:[""], Resources:["pods"], Verbs:["get"]}; resolution errors: [[' +
          'rolebindings.rbac.authorization.k8s.io "gone" not found, rolebindings.rbac.authorization.k8s.io "lost" not found]]',
      ].join('\n'),
    );
  });
});
