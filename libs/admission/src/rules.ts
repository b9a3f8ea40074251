import type { ResourceKind } from '@annex/kinds';
import { DividedVisit, type Passes } from '@annex/machinery';

/** A rule of a webhook or a policy: RuleWithOperations of `admissionregistration.k8s.io/v1`. */
export interface Rule {
  operations?: readonly string[];
  apiGroups?: readonly string[];
  apiVersions?: readonly string[];
  resources?: readonly string[];
  scope?: string;
  /** Only for policies; empty matches every name. */
  resourceNames?: readonly string[] | null;
}

/** The properties of a request that rules match. */
export interface RuleSubject {
  operation: string;
  kind: Pick<ResourceKind, 'group' | 'version' | 'resource'>;
  subresource: string;
  namespace: string;
  name: string;
}

/** A rule with those of its resources that have one name. */
interface NamedRule {
  rule: Rule;
  /** The position of the rule. */
  index: number;
  /** The subresources of the name; empty texts are the resource. */
  subresources: string[];
  /** How many comparisons the rule takes, in parts of a pass. */
  work: number;
}

/** The rules of a webhook or a policy by the resources they name, so that a request is compared with few of many rules. */
export type CompiledRules = ReadonlyMap<string, readonly NamedRule[]>;

/** Compiles rules, in passes. */
export function* compileRules(rules: readonly Rule[] | null | undefined): Passes<CompiledRules> {
  const visit = new DividedVisit();
  const byResource = new Map<string, NamedRule[]>();
  for (const [index, rule] of (rules ?? []).entries()) {
    for (const pattern of rule.resources ?? []) {
      if (visit.exceeds()) yield* visit.next();
      const [name, subresource] = partsOf(pattern);
      const named = byResource.get(name) ?? [];
      if (named.length === 0) byResource.set(name, named);
      const last = named.at(-1);
      if (last?.index === index) last.subresources.push(subresource);
      else named.push({ rule, index, subresources: [subresource], work: workOf(rule) });
    }
  }
  return byResource;
}

function partsOf(pattern: string): [name: string, subresource: string] {
  const slash = pattern.indexOf('/');
  return slash < 0 ? [pattern, ''] : [pattern.slice(0, slash), pattern.slice(slash + 1)];
}

/** A list of strings is searched so much faster than a rule is compared. */
const stringsOfPart = 50;

const workOf = ({ operations, apiGroups, apiVersions, resources, resourceNames }: Rule): number =>
  [operations, apiGroups, apiVersions, resources, resourceNames].reduce(
    (sum, list) => sum + (list?.length ?? 0),
    0,
  ) / stringsOfPart;

/** Source: "Matching requests: rules" of the documentation of dynamic admission. */
const ruleMatches = (
  { rule, subresources }: NamedRule,
  kind: RuleSubject['kind'],
  { operation, subresource, namespace, name }: Omit<RuleSubject, 'kind'>,
): boolean =>
  includes(rule.operations, operation) &&
  includes(rule.apiGroups, kind.group) &&
  includes(rule.apiVersions, kind.version) &&
  includes(subresources, subresource) &&
  scopeMatches(rule.scope ?? '*', kind, namespace) &&
  (!rule.resourceNames?.length || rule.resourceNames.includes(name));

const includes = (items: readonly string[] | undefined, value: string): boolean =>
  items !== undefined && (items.includes(value) || items.includes('*'));

// A Namespace is a cluster-scoped object, although its requests name it as their namespace.
function scopeMatches(scope: string, kind: RuleSubject['kind'], namespace: string): boolean {
  const clusterScoped =
    namespace === '' || (kind.group === '' && kind.version === 'v1' && kind.resource === 'namespaces');
  return scope === '*' || (scope === 'Cluster' ? clusterScoped : scope === 'Namespaced' && !clusterScoped);
}

/**
 * Returns the kind in whose version the object is sent; `undefined` if no rule matches. With the policy
 * Equivalent, the rules may name any version in which the resource is served. Works in passes.
 */
export function* matchedKind(
  rules: CompiledRules,
  matchPolicy: string | undefined,
  subject: Omit<RuleSubject, 'kind'> & { kind: ResourceKind },
  equivalents: () => readonly ResourceKind[],
): Passes<ResourceKind | undefined> {
  if (rules.size === 0) return undefined;
  const visit = new DividedVisit();
  if ((yield* firstMatch(rules, subject.kind, subject, Infinity, visit)) !== Infinity) return subject.kind;
  if (matchPolicy === 'Exact') return undefined;
  // Of the kinds that the first matching rule matches, the first one.
  let found: ResourceKind | undefined;
  let first = Infinity;
  for (const kind of equivalents()) {
    const match = yield* firstMatch(rules, kind, subject, first, visit);
    if (match < first) [found, first] = [kind, match];
  }
  return found;
}

/** Returns the position of the first rule before `end` that matches, else `end`. */
function* firstMatch(
  rules: CompiledRules,
  kind: RuleSubject['kind'],
  subject: Omit<RuleSubject, 'kind'>,
  end: number,
  visit: DividedVisit,
): Passes<number> {
  let first = end;
  for (const name of [kind.resource, '*']) {
    for (const named of rules.get(name) ?? []) {
      if (visit.exceeds()) yield* visit.next();
      if (named.index >= first) break;
      visit.count(named.work);
      if (ruleMatches(named, kind, subject)) first = named.index;
    }
  }
  return first;
}
