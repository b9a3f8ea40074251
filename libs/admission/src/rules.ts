import type { ResourceKind } from '@annex/kinds';

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

/**
 * Returns whether a rule matches. Source: "Matching requests: rules" of the documentation of dynamic
 * admission.
 */
export const ruleMatches = (
  rule: Rule,
  { operation, kind, subresource, namespace, name }: RuleSubject,
): boolean =>
  includes(rule.operations, operation) &&
  includes(rule.apiGroups, kind.group) &&
  includes(rule.apiVersions, kind.version) &&
  (rule.resources ?? []).some((resource) => resourceMatches(resource, kind.resource, subresource)) &&
  scopeMatches(rule.scope ?? '*', kind, namespace) &&
  (!rule.resourceNames?.length || rule.resourceNames.includes(name));

const includes = (items: readonly string[] | undefined, value: string): boolean =>
  items !== undefined && (items.includes(value) || items.includes('*'));

function resourceMatches(pattern: string, resource: string, subresource: string): boolean {
  const slash = pattern.indexOf('/');
  const [name, sub] = slash < 0 ? [pattern, ''] : [pattern.slice(0, slash), pattern.slice(slash + 1)];
  return (name === '*' || name === resource) && (sub === '*' || sub === subresource);
}

// A Namespace is a cluster-scoped object, although its requests name it as their namespace.
function scopeMatches(scope: string, kind: RuleSubject['kind'], namespace: string): boolean {
  const clusterScoped =
    namespace === '' || (kind.group === '' && kind.version === 'v1' && kind.resource === 'namespaces');
  return scope === '*' || (scope === 'Cluster' ? clusterScoped : scope === 'Namespaced' && !clusterScoped);
}

/** The rules of a webhook or a policy and their match policy. */
export interface Rules {
  rules?: readonly Rule[] | null;
  matchPolicy?: string;
}

/**
 * Returns the kind in whose version the object is sent; `undefined` if no rule matches. With the policy
 * Equivalent, the rules may name any version in which the resource is served.
 */
export function matchedKind(
  { rules, matchPolicy }: Rules,
  subject: Omit<RuleSubject, 'kind'> & { kind: ResourceKind },
  equivalents: () => readonly ResourceKind[],
): ResourceKind | undefined {
  if (rules?.some((rule) => ruleMatches(rule, subject))) return subject.kind;
  if (matchPolicy === 'Exact') return undefined;
  const others = rules && rules.length > 0 ? equivalents() : [];
  for (const rule of rules ?? []) {
    const found = others.find((kind) => ruleMatches(rule, { ...subject, kind }));
    if (found !== undefined) return found;
  }
  return undefined;
}
