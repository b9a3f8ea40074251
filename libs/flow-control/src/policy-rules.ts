import { DividedVisit, type Passes } from '@annex/machinery';
import type { FlowRequest } from './flow-request.ts';
import type { NonResourceRule, PolicyRules, ResourceRule, Subject } from './specs.ts';

type Match = (request: FlowRequest) => boolean;

const serviceAccountPrefix = 'system:serviceaccount:';

/**
 * Compiles the rules of a FlowSchema. A request matches if one of them names its user and its target. A `*` is a wildcard only
 * if it is the only element of a list. Works in passes.
 */
export function* compileRules(rules: readonly PolicyRules[]): Passes<Match> {
  if (rules.length > unindexedRules) return yield* indexRules(rules);
  const compiled = rules.map((rule) => compileRule(rule, subjectsOf(rule.subjects)));
  return (request) => compiled.some((matches) => matches(request));
}

/** As many rules are compared faster than an index is searched. */
const unindexedRules = 8;

/** Compiles many rules by their subjects, and those of every subject by their resources: a request is compared with few. */
function* indexRules(rules: readonly PolicyRules[]): Passes<Match> {
  const visit = new DividedVisit();
  const [users, groups, namespaces, resources] = [new Index(), new Index(), new Index(), new Index()];
  const others: Match[] = [];
  for (const rule of rules) {
    if (visit.exceeds()) yield* visit.next();
    visit.count(rule.subjects.length);
    const subjects = subjectsOf(rule.subjects);
    const matches = compileRule(rule, subjects);
    if (subjects.isEverybody) {
      const lists = (rule.resourceRules ?? []).map((one) => one.resources);
      const hasOthers = (rule.nonResourceRules ?? []).length > 0 || lists.some(isWildcard);
      if (hasOthers) others.push(matches);
      else for (const resource of new Set(lists.flat())) resources.add(resource, matches);
      continue;
    }
    for (const user of subjects.users) users.add(user, matches);
    for (const group of subjects.groups) groups.add(group, matches);
    for (const namespace of subjects.namespaces) {
      // No name of a namespace.
      if (namespace.includes(':')) others.push(matches);
      else namespaces.add(namespace, matches);
    }
  }
  return (request) =>
    users.has(request.user.name, request) ||
    request.user.groups.some((group) => groups.has(group, request)) ||
    namespaces.has(namespaceOfAccount(request.user.name), request) ||
    (request.info.isResourceRequest && resources.has(targetOf(request), request)) ||
    others.some((matches) => matches(request));
}

/** Rules by a name. */
class Index {
  readonly #rules = new Map<string, Match[]>();

  add(name: string, matches: Match): void {
    const rules = this.#rules.get(name);
    if (rules === undefined) this.#rules.set(name, [matches]);
    else rules.push(matches);
  }

  /** Returns whether a rule with the name matches. */
  has(name: string | undefined, request: FlowRequest): boolean {
    const rules = name === undefined ? undefined : this.#rules.get(name);
    return rules !== undefined && rules.some((matches) => matches(request));
  }
}

function namespaceOfAccount(user: string): string | undefined {
  if (!user.startsWith(serviceAccountPrefix)) return undefined;
  const end = user.indexOf(':', serviceAccountPrefix.length);
  return end < 0 ? undefined : user.slice(serviceAccountPrefix.length, end);
}

function compileRule(
  { resourceRules = [], nonResourceRules = [] }: PolicyRules,
  { isEverybody, users, groups, namespaces }: Subjects,
): Match {
  const prefixes = [...namespaces].map((namespace) => `${serviceAccountPrefix}${namespace}:`);
  const isSubject: Match = ({ user }) =>
    isEverybody ||
    users.has(user.name) ||
    user.groups.some((group) => groups.has(group)) ||
    prefixes.some((prefix) => user.name.startsWith(prefix));
  const resources = resourceRules.map(compileResourceRule);
  const others = nonResourceRules.map(compileNonResourceRule);
  return (request) =>
    isSubject(request) &&
    (request.info.isResourceRequest ? resources : others).some((matches) => matches(request));
}

/** The subjects of a rule by their names. */
interface Subjects {
  isEverybody: boolean;
  users: ReadonlySet<string>;
  groups: ReadonlySet<string>;
  /** The namespaces all of whose service accounts are subjects. */
  namespaces: ReadonlySet<string>;
}

function subjectsOf(subjects: readonly Subject[]): Subjects {
  const [users, groups, namespaces] = [new Set<string>(), new Set<string>(), new Set<string>()];
  for (const { kind, user, group, serviceAccount } of subjects) {
    if (kind === 'User' && user !== undefined) users.add(user.name);
    else if (kind === 'Group' && group !== undefined) groups.add(group.name);
    else if (kind === 'ServiceAccount' && serviceAccount !== undefined) {
      const { namespace, name } = serviceAccount;
      if (name === '*') namespaces.add(namespace);
      else users.add(`${serviceAccountPrefix}${namespace}:${name}`);
    }
  }
  return { isEverybody: users.has('*') || groups.has('*'), users, groups, namespaces };
}

function compileResourceRule(rule: ResourceRule): Match {
  const [verbs, apiGroups, resources] = [rule.verbs, rule.apiGroups, rule.resources].map(compileList);
  const namespaces = compileList(rule.namespaces ?? []);
  const { clusterScope = false } = rule;
  return (request) =>
    verbs!(request.info.verb) &&
    resources!(targetOf(request)) &&
    apiGroups!(request.info.apiGroup) &&
    (request.info.namespace === '' ? clusterScope : namespaces(request.info.namespace));
}

const targetOf = ({ info: { resource, subresource } }: FlowRequest): string =>
  subresource === '' ? resource : `${resource}/${subresource}`;

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
  if (isWildcard(list)) return () => true;
  if (list.length === 1) return (value) => value === list[0];
  const values = new Set(list);
  return (value) => values.has(value);
}

const isWildcard = (list: readonly string[]): boolean => list.length === 1 && list[0] === '*';
