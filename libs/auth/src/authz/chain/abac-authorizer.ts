import { trimRight } from '@annex/machinery';
import type { Attributes, Authorizer, UserInfo } from '../../types.ts';
import type { UserRules } from '../rbac-authorizer.ts';
import type { AbacPolicy } from './abac-policies.ts';

/** Authorizes by the lines of a policy file. */
export interface AbacAuthorizer extends Authorizer {
  rulesFor(user: UserInfo, namespace: string): UserRules;
}

/** Allows the requests that a policy matches; has no opinion on others. */
export function abacAuthorizer(policies: readonly AbacPolicy[]): AbacAuthorizer {
  return {
    name: 'ABAC',
    authorize: (attributes) =>
      policies.some((policy) => isMatch(policy, attributes))
        ? { decision: 'allow', reason: '' }
        : { decision: 'noOpinion', reason: 'No policy matched.' },
    rulesFor: (user, namespace) => ({
      rules: policies
        .filter((policy) => isSubject(policy, user) && ['*', namespace].includes(policy.namespace))
        .flatMap(rulesOf),
      problems: [],
    }),
  };
}

const readVerbs = ['get', 'list', 'watch'];

const isMatch = (policy: AbacPolicy, attributes: Attributes): boolean =>
  isSubject(policy, attributes.user) &&
  (!policy.readonly || readVerbs.includes(attributes.verb)) &&
  (attributes.resourceRequest
    ? isResource(policy, attributes)
    : isPath(policy.nonResourcePath, attributes.path));

function isSubject({ user, group }: AbacPolicy, { name, groups }: UserInfo): boolean {
  if (user === '' && group === '') return false;
  return (user === '' || user === name) && (group === '' || groups.includes(group));
}

const isResource = (policy: AbacPolicy, attributes: Attributes): boolean =>
  (['namespace', 'resource', 'apiGroup'] as const).every((field) =>
    ['*', attributes[field]].includes(policy[field]),
  );

const isPath = (pattern: string, path: string): boolean =>
  pattern === '*' || pattern === path || (pattern.endsWith('*') && path.startsWith(trimRight(pattern, '*')));

function rulesOf({ readonly, apiGroup, resource, nonResourcePath }: AbacPolicy): UserRules['rules'] {
  const verbs = readonly ? readVerbs : ['*'];
  return [
    ...(resource ? [{ verbs, apiGroups: [apiGroup], resources: [resource] }] : []),
    ...(nonResourcePath ? [{ verbs, nonResourceURLs: [nonResourcePath] }] : []),
  ];
}
