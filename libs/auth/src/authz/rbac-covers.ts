import { goQuoteList } from '@annex/machinery';
import { PathPatterns } from './path-patterns.ts';
import { Values } from './rbac-rule.ts';
import type { PolicyRule } from './rbac-types.ts';

/**
 * Characters of the permissions that the rules of one write are broken down into, each one verb on one resource or path. Rules
 * beyond the limit are granted only by one rule that covers them whole: four lists of a hundred values are a hundred million
 * permissions.
 */
export const maxGrantedChars = 1024 * 1024;
/** Characters that a permission counts in addition to its own. */
const charsOfGrant = 32;
/** Comparisons of a value with the rules of the user that one write takes. Beyond the limit nothing is covered. */
export const maxGrantChecks = 2_000_000;

/** Returns the parts of rules, each one verb on one resource or path, that no owner rule grants. */
export function uncoveredRules(owner: readonly PolicyRule[], requested: readonly PolicyRule[]): PolicyRule[] {
  const check = new CoverCheck(owner);
  const uncovered: PolicyRule[] = [];
  let chars = 0;
  for (const rule of requested.flatMap(resourcesAndPaths)) {
    if (check.isCovered(rule)) continue;
    chars += grantedChars(rule);
    if (chars > maxGrantedChars) uncovered.push(rule);
    else uncovered.push(...breakDown(rule).filter((part) => !check.isCovered(part)));
  }
  return uncovered;
}

/** A rule that is not validated yet may have both, and null instead of a list. */
function resourcesAndPaths(rule: PolicyRule): PolicyRule[] {
  const { apiGroups, resources, resourceNames, nonResourceURLs } = rule;
  const verbs = rule.verbs ?? [];
  if (verbs.length === 0) return [];
  const rules: PolicyRule[] = [];
  if (apiGroups?.length && resources?.length) {
    rules.push({ verbs, apiGroups, resources, ...(resourceNames?.length ? { resourceNames } : {}) });
  }
  if (nonResourceURLs?.length) rules.push({ verbs, nonResourceURLs });
  return rules;
}

const listsOf = (rule: PolicyRule): (readonly string[])[] =>
  [rule.apiGroups, rule.resources, rule.resourceNames, rule.nonResourceURLs, rule.verbs].filter(
    (list) => list !== undefined,
  );

function grantedChars(rule: PolicyRule): number {
  const lists = listsOf(rule);
  const grants = lists.reduce((product, { length }) => product * length, 1);
  const charsOfEach = lists.map((list) => list.reduce((sum, { length }) => sum + length, 0) / list.length);
  return grants * charsOfEach.reduce((sum, chars) => sum + chars, charsOfGrant);
}

function breakDown({
  apiGroups,
  resources,
  resourceNames,
  nonResourceURLs,
  verbs = [],
}: PolicyRule): PolicyRule[] {
  const parts: PolicyRule[] = [];
  for (const url of nonResourceURLs ?? []) {
    for (const verb of verbs) parts.push({ verbs: [verb], nonResourceURLs: [url] });
  }
  for (const group of apiGroups ?? []) {
    for (const resource of resources ?? []) {
      for (const verb of verbs) {
        const part = { verbs: [verb], apiGroups: [group], resources: [resource] };
        if (resourceNames === undefined) parts.push(part);
        else for (const name of resourceNames) parts.push({ ...part, resourceNames: [name] });
      }
    }
  }
  return parts;
}

/** Rules of a user whose lists are sets. */
class CoverCheck {
  readonly #rules: readonly OwnerRule[];
  #left = maxGrantChecks;

  constructor(owner: readonly PolicyRule[]) {
    this.#rules = owner.map((rule) => ({
      verbs: new Values(rule.verbs),
      groups: new Values(rule.apiGroups),
      resources: new Values(rule.resources),
      names: new Set(rule.resourceNames ?? []),
      paths: new PathPatterns(rule.nonResourceURLs),
    }));
  }

  /** True if one of the rules grants all of this rule. */
  isCovered(rule: PolicyRule): boolean {
    return this.#left > 0 && this.#rules.some((own) => this.#left > 0 && this.#covers(own, rule));
  }

  #covers({ verbs, groups, resources, names, paths }: OwnerRule, rule: PolicyRule): boolean {
    return (
      this.#all(rule.verbs, (verb) => verbs.include(verb)) &&
      this.#all(rule.apiGroups, (group) => groups.include(group)) &&
      this.#all(rule.resources, (resource) => includesResource(resources, resource)) &&
      (names.size === 0 ||
        (rule.resourceNames !== undefined && this.#all(rule.resourceNames, (name) => names.has(name)))) &&
      this.#all(rule.nonResourceURLs, (url) => paths.match(url))
    );
  }

  #all(values: readonly string[] = [], isCovered: (value: string) => boolean): boolean {
    return values.every((value) => this.#left-- > 0 && isCovered(value));
  }
}

interface OwnerRule {
  verbs: Values;
  groups: Values;
  resources: Values;
  names: ReadonlySet<string>;
  paths: PathPatterns;
}

function includesResource(own: Values, resource: string): boolean {
  if (own.include(resource)) return true;
  const slash = resource.indexOf('/');
  return slash >= 0 && own.listed.has(`*${resource.slice(slash)}`);
}

/** Joins the verbs of parts that are equal otherwise. */
export function compactRules(parts: readonly PolicyRule[]): PolicyRule[] {
  const joined = new Map<string, PolicyRule & { verbs: string[] }>();
  for (const part of parts) {
    const { verbs = [], ...rest } = part;
    // Paths are not joined, as in kube-apiserver.
    const key = JSON.stringify(part.nonResourceURLs ? part : rest);
    const known = joined.get(key);
    if (known === undefined) joined.set(key, { ...part, verbs: [...verbs] });
    else if (!part.nonResourceURLs) for (const verb of verbs) known.verbs.push(verb);
  }
  return [...joined.values()];
}

/** Formats a rule as kube-apiserver does: `{APIGroups:[""], Resources:["pods"], Verbs:["get"]}`. */
export function ruleText(rule: PolicyRule): string {
  const lists: [string, readonly string[] | undefined][] = [
    ['APIGroups', rule.apiGroups],
    ['Resources', rule.resources],
    ['NonResourceURLs', rule.nonResourceURLs],
    ['ResourceNames', rule.resourceNames],
    ['Verbs', rule.verbs],
  ];
  const parts = lists.flatMap(([name, list]) => (list?.length ? [`${name}:${goQuoteList(list)}`] : []));
  return `{${parts.join(', ')}}`;
}
