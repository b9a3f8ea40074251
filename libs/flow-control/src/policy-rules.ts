import type { FlowRequest } from './flow-request.ts';
import type { NonResourceRule, PolicyRules, ResourceRule, Subject } from './specs.ts';

type Match = (request: FlowRequest) => boolean;

const serviceAccountPrefix = 'system:serviceaccount:';

/**
 * Compiles the rules of a FlowSchema. A request matches if one of them names its user and its target. A `*` is a wildcard only
 * if it is the only element of a list.
 */
export function compileRules(rules: readonly PolicyRules[]): Match {
  const compiled = rules.map(compileRule);
  return (request) => compiled.some((matches) => matches(request));
}

function compileRule({ subjects, resourceRules = [], nonResourceRules = [] }: PolicyRules): Match {
  const isSubject = compileSubjects(subjects);
  const resources = resourceRules.map(compileResourceRule);
  const others = nonResourceRules.map(compileNonResourceRule);
  return (request) =>
    isSubject(request) &&
    (request.info.isResourceRequest ? resources : others).some((matches) => matches(request));
}

function compileSubjects(subjects: readonly Subject[]): Match {
  const users = new Set<string>();
  const groups = new Set<string>();
  const namespaces: string[] = [];
  for (const { kind, user, group, serviceAccount } of subjects) {
    if (kind === 'User' && user !== undefined) users.add(user.name);
    else if (kind === 'Group' && group !== undefined) groups.add(group.name);
    else if (kind === 'ServiceAccount' && serviceAccount !== undefined) {
      const { namespace, name } = serviceAccount;
      if (name === '*') namespaces.push(`${serviceAccountPrefix}${namespace}:`);
      else users.add(`${serviceAccountPrefix}${namespace}:${name}`);
    }
  }
  if (users.has('*') || groups.has('*')) return () => true;
  return ({ user }) =>
    users.has(user.name) ||
    user.groups.some((group) => groups.has(group)) ||
    namespaces.some((prefix) => user.name.startsWith(prefix));
}

function compileResourceRule(rule: ResourceRule): Match {
  const [verbs, apiGroups, resources] = [rule.verbs, rule.apiGroups, rule.resources].map(compileList);
  const namespaces = compileList(rule.namespaces ?? []);
  const { clusterScope = false } = rule;
  return ({ info }) =>
    verbs!(info.verb) &&
    resources!(info.subresource === '' ? info.resource : `${info.resource}/${info.subresource}`) &&
    apiGroups!(info.apiGroup) &&
    (info.namespace === '' ? clusterScope : namespaces(info.namespace));
}

function compileNonResourceRule({ verbs, nonResourceURLs }: NonResourceRule): Match {
  const isVerb = compileList(verbs);
  const exact = new Set(nonResourceURLs);
  // As in kube-apiserver, a path without a wildcard includes the paths below it.
  const prefixes = nonResourceURLs.map(folderOf);
  return ({ info }) =>
    isVerb(info.verb) &&
    (exact.has('*') || exact.has(info.path) || prefixes.some((prefix) => info.path.startsWith(prefix)));
}

function folderOf(url: string): string {
  const prefix = url.endsWith('*') ? url.slice(0, -1) : url;
  return prefix.endsWith('/') ? prefix : `${prefix}/`;
}

function compileList(list: readonly string[]): (value: string) => boolean {
  if (list.length === 1 && list[0] === '*') return () => true;
  const values = new Set(list);
  return (value) => values.has(value);
}
