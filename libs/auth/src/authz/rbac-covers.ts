import { goQuoteList, trimRight } from '@annex/machinery';
import type { PolicyRule } from './rbac-types.ts';

/** Returns the parts of rules, each one verb on one resource or path, that no owner rule grants. */
export function uncoveredRules(owner: readonly PolicyRule[], requested: readonly PolicyRule[]): PolicyRule[] {
  return requested.flatMap(breakDown).filter((part) => !owner.some((rule) => covers(rule, part)));
}

function breakDown({
  apiGroups,
  resources,
  resourceNames,
  nonResourceURLs,
  ...rule
}: PolicyRule): PolicyRule[] {
  const parts: PolicyRule[] = [];
  // A rule that is not validated yet may have null instead of a list.
  const verbs = rule.verbs ?? [];
  for (const group of apiGroups ?? []) {
    for (const resource of resources ?? []) {
      for (const verb of verbs) {
        const part = { verbs: [verb], apiGroups: [group], resources: [resource] };
        const names = resourceNames ?? [];
        parts.push(
          ...(names.length === 0 ? [part] : names.map((name) => ({ ...part, resourceNames: [name] }))),
        );
      }
    }
  }
  for (const url of nonResourceURLs ?? []) {
    for (const verb of verbs) parts.push({ verbs: [verb], nonResourceURLs: [url] });
  }
  return parts;
}

/** `part` has at most one value in each list. */
function covers(rule: PolicyRule, part: PolicyRule): boolean {
  return (
    includes(rule.verbs, part.verbs) &&
    includes(rule.apiGroups, part.apiGroups) &&
    (part.resources ?? []).every((resource) => coversResource(rule.resources ?? [], resource)) &&
    coversNames(rule.resourceNames ?? [], part.resourceNames ?? []) &&
    (part.nonResourceURLs ?? []).every((url) =>
      (rule.nonResourceURLs ?? []).some((own) => coversUrl(own, url)),
    )
  );
}

const includes = (own: readonly string[] = [], requested: readonly string[] = []): boolean =>
  own.includes('*') || requested.every((value) => own.includes(value));

function coversResource(own: readonly string[], resource: string): boolean {
  if (own.includes('*') || own.includes(resource)) return true;
  const slash = resource.indexOf('/');
  return slash >= 0 && own.includes(`*${resource.slice(slash)}`);
}

const coversNames = (own: readonly string[], requested: readonly string[]): boolean =>
  own.length === 0 || (requested.length > 0 && requested.every((name) => own.includes(name)));

const coversUrl = (own: string, url: string): boolean =>
  own === url || (own.endsWith('*') && url.startsWith(trimRight(own, '*')));

/** Joins the verbs of parts that are equal otherwise. */
export function compactRules(parts: readonly PolicyRule[]): PolicyRule[] {
  const joined = new Map<string, PolicyRule>();
  for (const part of parts) {
    const { verbs = [], ...rest } = part;
    // Paths are not joined, as in kube-apiserver.
    const key = JSON.stringify(part.nonResourceURLs ? part : rest);
    const known = joined.get(key);
    joined.set(key, known === undefined ? part : { ...known, verbs: [...(known.verbs ?? []), ...verbs] });
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
