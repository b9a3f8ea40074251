import type { Attributes } from '@annex/auth';
import {
  decodeYaml,
  type FieldError,
  fieldErrors,
  fieldErrorText,
  FieldPath,
  getOwn,
  isObject,
  type JsonObject,
  jsonTypeName,
  type JsonValue,
  nameIsDnsSubdomain,
  trimRight,
} from '@annex/machinery';

/** The levels of an event. Each level contains the data of those before it. */
export const auditLevels = ['None', 'Metadata', 'Request', 'RequestResponse'] as const;
export type AuditLevel = (typeof auditLevels)[number];

/** The stages of a request. */
export const auditStages = ['RequestReceived', 'ResponseStarted', 'ResponseComplete', 'Panic'] as const;
export type AuditStage = (typeof auditStages)[number];

/** The level and stages for one request. */
export interface AuditDecision {
  level: AuditLevel;
  omitStages: ReadonlySet<string>;
  omitManagedFields: boolean;
}

/** An `audit.k8s.io/v1` Policy: selects requests and their level. The first matching rule applies. */
export interface AuditPolicy {
  decide(attributes: Attributes): AuditDecision;
}

interface GroupResources {
  group?: string | null;
  resources?: string[] | null;
  resourceNames?: string[] | null;
}

interface PolicyRule {
  level?: AuditLevel | null;
  users?: string[] | null;
  userGroups?: string[] | null;
  verbs?: string[] | null;
  resources?: GroupResources[] | null;
  namespaces?: string[] | null;
  nonResourceURLs?: string[] | null;
  omitStages?: string[] | null;
  omitManagedFields?: boolean | null;
}

interface Policy {
  rules?: PolicyRule[] | null;
  omitStages?: string[] | null;
  omitManagedFields?: boolean | null;
}

/**
 * Reads a policy. Throws Error with kube-apiserver's message. Source: "Auditing" of the Kubernetes
 * documentation.
 */
export async function parseAuditPolicy(text: string): Promise<AuditPolicy> {
  const { value } = await decodeYaml(text);
  if (!isObject(value)) throw new Error('failed decoding: the policy is not an object');
  const { apiVersion = '', kind = '' } = value;
  const groupVersion = String(apiVersion).includes('/') ? apiVersion : `/${String(apiVersion)}`;
  if (apiVersion !== 'audit.k8s.io/v1' || kind !== 'Policy') {
    throw new Error(`unknown group version field ${groupVersion}, Kind=${String(kind)} in policy`);
  }
  requireTypes(value);
  const policy = value as Policy;
  const errors = validatePolicy(policy);
  if (errors.length > 0) {
    const texts = errors.map(fieldErrorText);
    throw new Error(texts.length === 1 ? texts[0] : `[${texts.join(', ')}]`);
  }
  if ((policy.rules ?? []).length === 0) throw new Error('loaded illegal policy with 0 rules');
  return compilePolicy(policy);
}

const ruleLists = ['users', 'userGroups', 'verbs', 'namespaces', 'nonResourceURLs', 'omitStages'] as const;
const groupLists = ['resources', 'resourceNames'] as const;

/** Throws if a field has an invalid type: such a rule would match less than it seems to. */
function requireTypes(policy: JsonObject): void {
  requireTexts(policy, 'Policy.', ['omitStages']);
  requireType(policy, 'Policy.omitManagedFields', 'boolean');
  for (const rule of objectsOf(policy, 'rules', 'Policy.', 'v1.PolicyRule')) {
    requireTexts(rule, 'PolicyRule.rules.', ruleLists);
    requireType(rule, 'PolicyRule.rules.level', 'string');
    requireType(rule, 'PolicyRule.rules.omitManagedFields', 'boolean');
    for (const group of objectsOf(rule, 'resources', 'PolicyRule.rules.', 'v1.GroupResources')) {
      requireTexts(group, 'GroupResources.rules.resources.', groupLists);
      requireType(group, 'GroupResources.rules.resources.group', 'string');
    }
  }
}

/** Null is an absent value, as in Go. */
function requireType(object: JsonObject, path: string, type: 'string' | 'boolean'): void {
  const value = getOwn(object, path.slice(path.lastIndexOf('.') + 1)) ?? undefined;
  const name = path.endsWith('.level') ? 'v1.Level' : type === 'boolean' ? 'bool' : type;
  if (value !== undefined && typeof value !== type) throw invalidType(value, path, name);
}

const invalidType = (value: JsonValue, field: string, type: string) =>
  new Error(
    `failed decoding: json: cannot unmarshal ${jsonTypeName(value)} into Go struct field ${field} of type ${type}`,
  );

function requireTexts(object: JsonObject, path: string, fields: readonly string[]): void {
  for (const field of fields) {
    const list = getOwn(object, field) ?? [];
    if (!Array.isArray(list)) throw invalidType(list, path + field, '[]string');
    const other = list.find((entry) => typeof entry !== 'string');
    if (other !== undefined) throw invalidType(other, path + field, 'string');
  }
}

function objectsOf(object: JsonObject, field: string, path: string, type: string): JsonObject[] {
  const list = getOwn(object, field) ?? [];
  if (!Array.isArray(list)) throw invalidType(list, path + field, `[]${type}`);
  const other = list.find((entry) => !isObject(entry));
  if (other !== undefined) throw invalidType(other, path + field, type);
  return list as JsonObject[];
}

function compilePolicy({ rules, omitStages, ...policy }: Policy): AuditPolicy {
  const omitManagedFields = policy.omitManagedFields ?? false;
  const compiled = (rules ?? []).map((rule) => ({
    matches: compileRule(rule),
    decision: {
      level: rule.level as AuditLevel,
      omitStages: new Set([...(omitStages ?? []), ...(rule.omitStages ?? [])]),
      omitManagedFields: rule.omitManagedFields ?? omitManagedFields,
    },
  }));
  const otherwise: AuditDecision = { level: 'None', omitStages: new Set(), omitManagedFields };
  return {
    decide: (attributes) => compiled.find(({ matches }) => matches(attributes))?.decision ?? otherwise,
  };
}

type Matches = (attributes: Attributes) => boolean;

function compileRule(rule: PolicyRule): Matches {
  const conditions: Matches[] = [];
  const when = (list: readonly string[] | null | undefined, holds: (values: Set<string>) => Matches) => {
    if (list?.length) conditions.push(holds(new Set(list)));
  };
  when(rule.users, (users) => (attributes) => users.has(attributes.user.name));
  when(
    rule.userGroups,
    (groups) => (attributes) => attributes.user.groups.some((group) => groups.has(group)),
  );
  when(rule.verbs, (verbs) => (attributes) => verbs.has(attributes.verb));
  if (rule.namespaces?.length || rule.resources?.length) {
    conditions.push((attributes) => attributes.resourceRequest);
    when(rule.namespaces, (namespaces) => (attributes) => namespaces.has(attributes.namespace));
    if (rule.resources?.length) conditions.push(anyResource(rule.resources));
  } else {
    when(rule.nonResourceURLs, (urls) => anyPath([...urls]));
  }
  return (attributes) => conditions.every((holds) => holds(attributes));
}

const anyPath =
  (urls: readonly string[]): Matches =>
  ({ resourceRequest, path }) =>
    !resourceRequest &&
    urls.some((url) => url === path || (url.endsWith('*') && path.startsWith(trimRight(url, '*'))));

const anyResource =
  (groups: readonly GroupResources[]): Matches =>
  (attributes) =>
    groups.some(({ group, resources, resourceNames }) => {
      if (group !== '*' && (group ?? '') !== attributes.apiGroup) return false;
      if (!resources?.length) return true;
      if (resourceNames?.length && !resourceNames.includes(attributes.name)) return false;
      return resources.some((resource) => resourceMatches(resource, attributes));
    });

function resourceMatches(pattern: string, { resource, subresource }: Attributes): boolean {
  if (pattern === '*' || pattern === (subresource === '' ? resource : `${resource}/${subresource}`))
    return true;
  return pattern === `${resource}/*` || (subresource !== '' && pattern === `*/${subresource}`);
}

function validatePolicy({ rules, omitStages }: Policy): FieldError[] {
  return [
    ...stageErrors(omitStages, FieldPath.of('omitStages')),
    ...(rules ?? []).flatMap((rule, i) => ruleErrors(rule, FieldPath.of('rules').index(i))),
  ];
}

function ruleErrors(rule: PolicyRule, at: FieldPath): FieldError[] {
  const { nonResourceURLs, resources, namespaces } = rule;
  const level = rule.level ?? '';
  const errors: FieldError[] = [];
  if (level === '') errors.push(fieldErrors.required(at.child('level')));
  else if (!auditLevels.includes(level as AuditLevel)) {
    errors.push(fieldErrors.notSupported(at.child('level'), level, auditLevels));
  }
  const urls = at.child('nonResourceURLs');
  errors.push(
    ...(nonResourceURLs ?? []).flatMap((url, i) => urlErrors(url, urls.index(i))),
    ...(resources ?? []).flatMap((group) => resourceErrors(group, at.child('resources'))),
    ...stageErrors(rule.omitStages, at.child('omitStages')),
  );
  if (nonResourceURLs?.length && (resources?.length || namespaces?.length)) {
    const why = 'rules cannot apply to both regular resources and non-resource URLs';
    errors.push(fieldErrors.invalid(urls, nonResourceURLs, why));
  }
  return errors;
}

function urlErrors(url: string, at: FieldPath): FieldError[] {
  if (url === '*') return [];
  const errors: FieldError[] = [];
  if (!url.startsWith('/')) {
    errors.push(fieldErrors.invalid(at, url, "non-resource URL rules must begin with a '/' character"));
  }
  if (url.slice(0, -1).includes('*')) {
    const why = "non-resource URL wildcards '*' must be the final character of the rule";
    errors.push(fieldErrors.invalid(at, url, why));
  }
  return errors;
}

function resourceErrors(
  { group: provided, resources, resourceNames }: GroupResources,
  at: FieldPath,
): FieldError[] {
  const group = provided ?? '';
  const errors: FieldError[] = [];
  if (group !== '' && group !== '*') {
    const problems = nameIsDnsSubdomain(group, false);
    if (problems.length > 0) {
      errors.push(fieldErrors.invalid(at.child('group'), group, problems.join(',')));
    }
  }
  if (resourceNames?.length && !resources?.length) {
    const why = 'using resourceNames requires at least one resource';
    errors.push(fieldErrors.invalid(at.child('resourceNames'), resourceNames, why));
  }
  return errors;
}

const stageErrors = (stages: readonly string[] | null | undefined, at: FieldPath): FieldError[] =>
  (stages ?? []).flatMap((stage, i) =>
    auditStages.includes(stage as AuditStage)
      ? []
      : [fieldErrors.invalid(at.index(i), stage, `allowed stages are ${auditStages.join(',')}`)],
  );
