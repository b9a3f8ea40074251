import { isUtf8 } from 'node:buffer';
import { finish, isObject, type JsonObject, type JsonValue, parseJson } from '@annex/machinery';
import { type FuzzTarget, goJson, orError, utf8Text } from '@annex/testkit';
import { compactRules, ruleTexts, uncoveredRules } from './rbac-covers.ts';
import { CompiledRule } from './rbac-rule.ts';
import type { PolicyRule } from './rbac-types.ts';
import type { Attributes } from '../types.ts';

const rules: PolicyRule[] = [
  { verbs: ['get', 'list'], apiGroups: ['', 'apps'], resources: ['pods', 'pods/log', '*/status'] },
  { verbs: ['*'], apiGroups: ['*'], resources: ['*'], resourceNames: ['a', 'b'] },
  { verbs: ['get'], nonResourceURLs: ['/healthz', '/metrics/*', '*'] },
  { verbs: ['get'], nonResourceURLs: ['/a**'] },
];
const requests = [
  { resourceRequest: true, verb: 'get', apiGroup: '', resource: 'pods', subresource: '', name: 'a' },
  { resourceRequest: true, verb: 'get', apiGroup: 'apps', resource: 'x', subresource: 'status', name: '' },
  { resourceRequest: false, verb: 'get', path: '/metrics/a' },
];

const lists = ['verbs', 'apiGroups', 'resources', 'resourceNames', 'nonResourceURLs'] as const;
const texts = ['verb', 'apiGroup', 'resource', 'subresource', 'name', 'path'] as const;

/** Go breaks each rule down, however many permissions that are. */
const maxComparedGrants = 2_000;

const escalation: FuzzTarget = {
  name: 'rbac-escalation',
  go: 'rbac-covers',
  // What is compared is the check: an object that Go cannot decode is none.
  deviates: (_, expected) => expected.startsWith('error'),
  seeds: rules.map((rule) => `${JSON.stringify(rules)}\n${JSON.stringify([rule])}`),
  dictionary: ['"*"', '"*/log"', '"pods/*"', '"/a*"', '"/*"', '"resourceNames"', 'null', '[]', '\n'],
  maxBytes: 1024,
  run(input) {
    const parts = utf8Text(input).split('\n', 2);
    const [own, requested] = parts.map((part) => orError((): JsonValue => parseJson(part), [SyntaxError]));
    if (!Array.isArray(own) || !Array.isArray(requested)) return;
    if (!own.every(isRule) || !requested.every(isRule)) return;
    const uncovered = finish(uncoveredRules(compiledOf(own), requested));
    finish(ruleTexts(finish(compactRules(uncovered))));
    if (!isUtf8(input)) return;
    if (requested.reduce((sum, rule) => sum + grants(rule), 0) > maxComparedGrants) return;
    return goJson(uncovered.map((rule) => lists.map((field) => [...(rule[field] ?? [])])));
  },
};

const compiledOf = (own: readonly PolicyRule[]) => own.map((rule) => new CompiledRule(rule));

const grants = (rule: PolicyRule): number =>
  lists.reduce((product, field) => product * Math.max(1, rule[field]?.length ?? 0), 1);

export const fuzzTargets: FuzzTarget[] = [
  {
    name: 'rbac',
    seeds: rules.flatMap((rule) =>
      requests.map((request) => `${JSON.stringify(rule)}\n${JSON.stringify(request)}`),
    ),
    dictionary: ['"*"', '"*/log"', '"pods/*"', '"/a*"', '"/*"', '"resourceNames"', 'null', '[]', '\n'],
    maxBytes: 512,
    run(input) {
      const parts = utf8Text(input).split('\n', 2);
      const [rule, request] = parts.map((part) => orError((): JsonValue => parseJson(part), [SyntaxError]));
      if (!isRule(rule) || !isRequest(request)) return;
      const compiled = new CompiledRule(rule);
      const isAllowed = compiled.allows(request);
      if (isAllowed !== allowsPlainly(rule, request)) throw new Error(`the index allows: ${isAllowed}`);
      if (isAllowed !== (compiled.lacks(request).length === 0)) throw new Error(`but it lacks something`);
      // Names limit paths as well, in a rule of both, which is not valid.
      if (rule.resourceNames?.length && rule.nonResourceURLs?.length) return;
      if (finish(uncoveredRules([compiled], [rule])).length > 0)
        throw new Error('the rule does not cover itself');
      if (isAllowed && finish(uncoveredRules([compiled], [ruleOf(rule, request)])).length > 0)
        throw new Error('the rule allows the request, and does not cover it');
    },
  },
  escalation,
];

/** Lists as the objects of RBAC have them when they were decoded. */
function isRule(value: JsonValue | Error | undefined): value is JsonObject & PolicyRule {
  if (value instanceof Error || value === undefined || !isObject(value)) return false;
  return lists.every((field) => {
    const list = value[field] ?? [];
    return Array.isArray(list) && list.every((item) => typeof item === 'string');
  });
}

/** Attributes in the form of a request: no segment of a path has a slash. */
function isRequest(value: JsonValue | Error | undefined): value is JsonObject & Attributes {
  if (value instanceof Error || value === undefined || !isObject(value)) return false;
  for (const field of texts) value[field] ??= '';
  return (
    typeof value.resourceRequest === 'boolean' &&
    texts.every((field) => typeof value[field] === 'string') &&
    !`${String(value.resource)}${String(value.subresource)}`.includes('/')
  );
}

/** The documentation of RBAC, read a second time and without an index. */
function allowsPlainly(rule: PolicyRule, request: Attributes): boolean {
  const has = (list: readonly string[] | null | undefined, value: string): boolean =>
    (list ?? []).some((item) => item === '*' || item === value);
  if (!has(rule.verbs, request.verb)) return false;
  if (!request.resourceRequest) {
    return (rule.nonResourceURLs ?? []).some((url) => {
      if (url === '*' || url === request.path) return true;
      return url.endsWith('*') && request.path.startsWith(url.replace(/(?<!\*)\*+$/, ''));
    });
  }
  const names = rule.resourceNames ?? [];
  const { resource, subresource } = request;
  return (
    has(rule.apiGroups, request.apiGroup) &&
    (names.length === 0 || names.includes(request.name)) &&
    (has(rule.resources, subresource === '' ? resource : `${resource}/${subresource}`) ||
      (subresource !== '' && (rule.resources ?? []).includes(`*/${subresource}`)))
  );
}

/** Returns the rule that allows only this request. */
function ruleOf(
  rule: PolicyRule,
  { verb, apiGroup, resource, subresource, name, ...request }: Attributes,
): PolicyRule {
  if (!request.resourceRequest) return { verbs: [verb], nonResourceURLs: [request.path] };
  return {
    verbs: [verb],
    apiGroups: [apiGroup],
    resources: [subresource === '' ? resource : `${resource}/${subresource}`],
    ...(rule.resourceNames?.length ? { resourceNames: [name] } : {}),
  };
}
