import { goQuoteList, type Passes } from '@annex/machinery';
import type { CompiledRule, Values } from './rbac-rule.ts';
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

/** How many comparisons one pass makes. */
const workAtOnce = 2000;
/** What else a pass does for a rule, in comparisons. */
const workOfRule = 8;
/** How many values of a list are printed in one pass. */
const printedAtOnce = 500;

/** Returns the parts of rules, each one verb on one resource or path, that no owner rule grants. */
export function* uncoveredRules(
  owner: readonly CompiledRule[],
  requested: readonly PolicyRule[],
): Passes<PolicyRule[]> {
  const check = new CoverCheck(owner);
  const uncovered: PolicyRule[] = [];
  let chars = 0;
  for (const sent of requested) {
    for (const rule of resourcesAndPaths(sent)) {
      if (yield* check.isCovered(rule)) continue;
      chars += grantedChars(rule);
      if (chars > maxGrantedChars) {
        uncovered.push(rule);
        continue;
      }
      for (const part of partsOf(rule)) if (!(yield* check.isCovered(part))) uncovered.push(part);
    }
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

/** Divides a rule with long lists into rules that are granted by a rule if, and only if, it grants the whole. */
function piecesOf(rule: PolicyRule): PolicyRule[] | undefined {
  const longest = Math.max(...listsOf(rule).map(({ length }) => length));
  if (longest <= workAtOnce) return undefined;
  const pieces: PolicyRule[] = [];
  for (let i = 0; i < longest; i += workAtOnce) {
    const part = Object.entries(rule).map(([name, list]) => [name, list.slice(i, i + workAtOnce)]);
    pieces.push(Object.fromEntries(part) as PolicyRule);
  }
  return pieces;
}

const listsOf = (rule: PolicyRule): (readonly string[])[] =>
  [rule.apiGroups, rule.resources, rule.resourceNames, rule.nonResourceURLs, rule.verbs].filter((list) =>
    Array.isArray(list),
  );

function grantedChars(rule: PolicyRule): number {
  const lists = listsOf(rule);
  const grants = lists.reduce((product, { length }) => product * length, 1);
  const charsOfEach = lists.map((list) => list.reduce((sum, { length }) => sum + length, 0) / list.length);
  return grants * charsOfEach.reduce((sum, chars) => sum + chars, charsOfGrant);
}

function* partsOf({
  apiGroups,
  resources,
  resourceNames,
  nonResourceURLs,
  verbs = [],
}: PolicyRule): Generator<PolicyRule> {
  for (const url of nonResourceURLs ?? []) {
    for (const verb of verbs) yield { verbs: [verb], nonResourceURLs: [url] };
  }
  for (const group of apiGroups ?? []) {
    for (const resource of resources ?? []) {
      for (const verb of verbs) {
        const part = { verbs: [verb], apiGroups: [group], resources: [resource] };
        if (resourceNames === undefined) yield part;
        else for (const name of resourceNames) yield { ...part, resourceNames: [name] };
      }
    }
  }
}

/** Compares rules with those of a user. */
class CoverCheck {
  readonly #owner: readonly CompiledRule[];
  #left = maxGrantChecks;
  /** What this pass has done. */
  #work = 0;

  constructor(owner: readonly CompiledRule[]) {
    this.#owner = owner;
  }

  /** True if one of the rules grants all of this rule. */
  *isCovered(rule: PolicyRule): Passes<boolean> {
    this.#work += workOfRule;
    const pieces = piecesOf(rule);
    for (const own of this.#owner) {
      if (this.#left <= 0) break;
      if (this.#work > workAtOnce) yield* this.#next();
      const covers = pieces === undefined ? this.#covers(own, rule) : yield* this.#coversEach(own, pieces);
      if (covers) return true;
    }
    if (this.#work > workAtOnce) yield* this.#next();
    return false;
  }

  *#next(): Passes<void> {
    yield;
    this.#work = 0;
  }

  *#coversEach(own: CompiledRule, pieces: readonly PolicyRule[]): Passes<boolean> {
    for (const piece of pieces) {
      if (this.#work > workAtOnce) yield* this.#next();
      if (!this.#covers(own, piece)) return false;
    }
    return true;
  }

  #covers({ verbs, groups, resources, names, paths }: CompiledRule, rule: PolicyRule): boolean {
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
    return values.every((value) => {
      this.#work++;
      return this.#left-- > 0 && isCovered(value);
    });
  }
}

function includesResource(own: Values, resource: string): boolean {
  if (own.include(resource)) return true;
  const slash = resource.indexOf('/');
  return slash >= 0 && own.listed.has(`*${resource.slice(slash)}`);
}

/** Joins the verbs of parts that are equal otherwise. */
export function* compactRules(parts: readonly PolicyRule[]): Passes<PolicyRule[]> {
  const joined = new Map<string, PolicyRule & { verbs: string[] }>();
  let count = 0;
  for (const part of parts) {
    if (++count % printedAtOnce === 0) yield;
    const { verbs = [], ...rest } = part;
    // Paths are not joined, as in kube-apiserver.
    const key = JSON.stringify(part.nonResourceURLs ? part : rest);
    const known = joined.get(key);
    if (known === undefined) joined.set(key, { ...part, verbs: [...verbs] });
    else if (!part.nonResourceURLs) for (const verb of verbs) known.verbs.push(verb);
  }
  return [...joined.values()];
}

/** Formats rules as kube-apiserver does, each once: `{APIGroups:[""], Resources:["pods"], Verbs:["get"]}`. */
export function* ruleTexts(rules: readonly PolicyRule[]): Passes<string[]> {
  const texts = new Set<string>();
  let values = 0;
  for (const rule of rules) {
    if ((values += workOfRule) > printedAtOnce) {
      yield;
      values = 0;
    }
    for (const list of listsOf(rule)) values += list.length;
    texts.add(yield* ruleText(rule));
  }
  return [...texts];
}

function* ruleText(rule: PolicyRule): Passes<string> {
  const lists: [string, readonly string[] | undefined][] = [
    ['APIGroups', rule.apiGroups],
    ['Resources', rule.resources],
    ['NonResourceURLs', rule.nonResourceURLs],
    ['ResourceNames', rule.resourceNames],
    ['Verbs', rule.verbs],
  ];
  const parts: string[] = [];
  for (const [name, list] of lists) if (list?.length) parts.push(`${name}:${yield* listText(list)}`);
  return `{${parts.join(', ')}}`;
}

function* listText(list: readonly string[]): Passes<string> {
  if (list.length <= printedAtOnce) return goQuoteList(list);
  const texts: string[] = [];
  for (let i = 0; i < list.length; i += printedAtOnce) {
    texts.push(goQuoteList(list.slice(i, i + printedAtOnce)).slice(1, -1));
    yield;
  }
  return `[${texts.join(' ')}]`;
}
