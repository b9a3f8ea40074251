import { describe, expect, it } from 'vitest';
import { escalationError } from './escalation.ts';
import { uncoveredRules } from './rbac-covers.ts';
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

  const texts = Array.from({ length: 200 }, (_, i) => `a${i}`);
  const hugeRule = rule(texts, texts, texts, texts);

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

  it('reads null instead of a list as an empty list', () => {
    const withNull = { verbs: ['get'], apiGroups: null, nonResourceURLs: ['/a'] } as unknown as PolicyRule;
    expect(uncoveredRules([withNull], [withNull])).toEqual([]);
  });
});

describe('escalationError', () => {
  it('joins as many verbs as a request can hold', () => {
    const verbs = Array.from({ length: 200_000 }, (_, i) => `${i}`);
    const granted = [rule(['a'], ['b'], verbs), rule(['a'], ['b'], verbs)];
    const error = escalationError(userOf('bob'), { rules: [], dangling: [] }, granted, 'roles');
    expect(error?.split('\n')).toHaveLength(2);
  });

  it('lists what is missing, joined by verb and sorted', () => {
    const own = { rules: [rule([''], ['configmaps'], ['get'])], dangling: [] };
    const granted = [rule(['', 'apps'], ['secrets', 'configmaps'], ['get', 'list']), path(['/x'], ['get'])];
    expect(escalationError(userOf('bob', 'g', 'h'), own, granted, 'roles')).toBe(
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

  it('returns nothing if the user has all permissions', () => {
    const rules = [rule(['*'], ['*'], ['*'])];
    expect(
      escalationError(userOf('bob'), { rules, dangling: [] }, [rule(['a'], ['b'], ['c'])], 'roles'),
    ).toBeUndefined();
  });

  it('names each reference once that leads to no role, under the resource of the request', () => {
    const dangling = ['gone', 'gone', 'lost'].map((name) => ({ apiGroup: '', kind: 'ClusterRole', name }));
    const granted = [rule([''], ['pods'], ['get'])];
    expect(escalationError(userOf('bob', 'g'), { rules: [], dangling }, granted, 'rolebindings')).toBe(
      [
        'user "bob" (groups=["g"]) is attempting to grant RBAC permissions not currently held:',
        '{APIGroups:[""], Resources:["pods"], Verbs:["get"]}; resolution errors: [[' +
          'rolebindings.rbac.authorization.k8s.io "gone" not found, rolebindings.rbac.authorization.k8s.io "lost" not found]]',
      ].join('\n'),
    );
  });
});
