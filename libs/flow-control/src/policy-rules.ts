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

/** Compiles many rules by their subjects, and those of a subject by their resources: a request is compared with few. */
function* indexRules(rules: readonly PolicyRules[]): Passes<Match> {
  const visit = new DividedVisit();
  const [users, groups, namespaces] = [new SubjectIndex(), new SubjectIndex(), new SubjectIndex()];
  const others = new RuleIndex();
  for (const rule of rules) {
    if (visit.exceeds()) yield* visit.next();
    visit.count(rule.subjects.length);
    const subjects = subjectsOf(rule.subjects);
    // The index compares the subjects.
    const indexed = { rule, matches: compileTargets(rule) };
    if (subjects.isEverybody) {
      others.add(indexed);
      continue;
    }
    for (const user of subjects.users) users.add(user, indexed);
    for (const group of subjects.groups) groups.add(group, indexed);
    for (const namespace of subjects.namespaces) {
      // No name of a namespace.
      if (namespace.includes(':')) others.add({ rule, matches: compileRule(rule, subjects) });
      else namespaces.add(namespace, indexed);
    }
  }
  return (request) =>
    users.has(request.user.name, request) ||
    request.user.groups.some((group) => groups.has(group, request)) ||
    namespaces.has(namespaceOfAccount(request.user.name), request) ||
    others.has(request);
}

interface IndexedRule {
  rule: PolicyRules;
  matches: Match;
}

/** Returns the resources that a rule names; `undefined` if it can match others or paths. */
function resourcesOf({
  resourceRules = [],
  nonResourceRules = [],
}: PolicyRules): ReadonlySet<string> | undefined {
  const lists = resourceRules.map(({ resources }) => resources);
  return nonResourceRules.length > 0 || lists.some(isWildcard) ? undefined : new Set(lists.flat());
}

/** Rules by the name of a subject. */
class SubjectIndex {
  readonly #rules = new Map<string, RuleIndex>();

  add(name: string, rule: IndexedRule): void {
    let rules = this.#rules.get(name);
    if (rules === undefined) this.#rules.set(name, (rules = new RuleIndex()));
    rules.add(rule);
  }

  /** Returns whether a rule with the name matches. */
  has(name: string | undefined, request: FlowRequest): boolean {
    return name !== undefined && this.#rules.get(name)?.has(request) === true;
  }
}

/** Rules of one subject, by the resources that they name if they are many. */
class RuleIndex {
  /** Rules that are compared with each request. */
  #compared: IndexedRule[] = [];
  #byResource: Map<string, IndexedRule[]> | undefined;

  add(rule: IndexedRule): void {
    if (this.#byResource !== undefined) this.#index(rule, this.#byResource);
    else if (this.#compared.push(rule) > unindexedRules) {
      const [rules, byResource] = [this.#compared, new Map<string, IndexedRule[]>()];
      [this.#compared, this.#byResource] = [[], byResource];
      for (const one of rules) this.#index(one, byResource);
    }
  }

  #index(rule: IndexedRule, byResource: Map<string, IndexedRule[]>): void {
    const resources = resourcesOf(rule.rule);
    if (resources === undefined) this.#compared.push(rule);
    for (const resource of resources ?? []) {
      const rules = byResource.get(resource);
      if (rules === undefined) byResource.set(resource, [rule]);
      else rules.push(rule);
    }
  }

  /** Returns whether a rule matches. */
  has(request: FlowRequest): boolean {
    const named = request.info.isResourceRequest ? this.#byResource?.get(targetOf(request)) : undefined;
    const isMatch = ({ matches }: IndexedRule): boolean => matches(request);
    return (named !== undefined && named.some(isMatch)) || this.#compared.some(isMatch);
  }
}

function namespaceOfAccount(user: string): string | undefined {
  if (!user.startsWith(serviceAccountPrefix)) return undefined;
  const end = user.indexOf(':', serviceAccountPrefix.length);
  return end < 0 ? undefined : user.slice(serviceAccountPrefix.length, end);
}

function compileRule(rule: PolicyRules, { isEverybody, users, groups, namespaces }: Subjects): Match {
  const prefixes = [...namespaces].map((namespace) => `${serviceAccountPrefix}${namespace}:`);
  const isSubject: Match = ({ user }) =>
    isEverybody ||
    users.has(user.name) ||
    user.groups.some((group) => groups.has(group)) ||
    prefixes.some((prefix) => user.name.startsWith(prefix));
  const isTarget = compileTargets(rule);
  return (request) => isSubject(request) && isTarget(request);
}

/** Compiles the resources and paths of a rule. */
function compileTargets({ resourceRules = [], nonResourceRules = [] }: PolicyRules): Match {
  const resources = resourceRules.map(compileResourceRule);
  const others = nonResourceRules.map(compileNonResourceRule);
  return (request) =>
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
