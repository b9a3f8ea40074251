import {
  type FieldError,
  type FieldPath,
  fieldErrors,
  isObject,
  nameIsDnsSubdomain,
  validateDns1035Label,
  validateDns1123Subdomain,
  validatePathSegmentName,
  validateQualifiedName,
} from '@annex/machinery';
import { validateWebhookService, validateWebhookUrl, type WebhookService } from '@annex/server';
import {
  all,
  between,
  type Check,
  each,
  fields,
  isMissing,
  objectsOf,
  oneOf,
  required,
  selector,
  text,
  unique,
} from './checks.ts';

const { invalid } = fieldErrors;
const strings = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : []);

/** A star stands for everything, so nothing may stand beside it. */
const aloneIfStar =
  (what: string): Check =>
  (value, at) => {
    const list = strings(value);
    const text = `if '*' is present, must not specify other ${what}`;
    return list.length > 1 && list.includes('*') ? [invalid(at, value, text)] : [];
  };

const filled: Check = (value, at) => (value === '' ? [fieldErrors.required(at)] : []);

/** Resources of a rule with their subresources: `pods`, `pods/status`, `pods/*`, and stars. */
const resources: Check = (value, at) => {
  const list = strings(value);
  const starSubresources = new Set<string>();
  const starResources = new Set<string>();
  const errors: FieldError[] = [];
  list.forEach((resource, index) => {
    if (resource === '') errors.push(fieldErrors.required(at.index(index)));
    const slash = resource.indexOf('/');
    if (slash < 0) return;
    const [owner, sub] = [resource.slice(0, slash), resource.slice(slash + 1)];
    const refuse = (star: string) =>
      errors.push(
        invalid(at.index(index), resource, `if '${star}' is present, must not specify ${resource}`),
      );
    if (starSubresources.has(owner)) refuse(`${owner}/*`);
    if (starResources.has(sub)) refuse(`*/${sub}`);
    if (sub === '*') starSubresources.add(owner);
    if (owner === '*') starResources.add(sub);
  });
  if (list.length > 1 && list.includes('*/*')) {
    errors.push(invalid(at, value, "if '*/*' is present, must not specify other resources"));
  }
  // kube looks at the last resource without a slash only.
  const last = list.filter((resource) => resource !== '' && !resource.includes('/')).at(-1);
  if (list.includes('*') && last !== undefined && last !== '*') {
    errors.push(
      invalid(at, value, "if '*' is present, must not specify other resources without subresources"),
    );
  }
  return errors;
};

const operations = ['*', 'CONNECT', 'CREATE', 'DELETE', 'UPDATE'];

const rule: Record<string, Check> = {
  operations: required(all(aloneIfStar('operations'), each(oneOf(...operations)))),
  apiGroups: required(aloneIfStar('API groups')),
  apiVersions: required(all(aloneIfStar('API versions'), each(filled))),
  resources: required(resources),
  scope: oneOf('*', 'Cluster', 'Namespaced'),
};

const fullyQualified: Check = (value, at) => {
  const name = String(value);
  const errors = validateDns1123Subdomain(name);
  if (errors.length > 0) return [invalid(at, value, errors.join(','))];
  const text = 'should be a domain with at least three segments separated by dots';
  return name.split('.').length < 3 ? [invalid(at, value, text)] : [];
};

const clientConfig: Check = (value, at) => {
  const { url, service } = (isObject(value) ? value : {}) as { url?: string; service?: WebhookService };
  if ((url === undefined) === (service === undefined)) {
    return [fieldErrors.required(at, 'exactly one of url or service is required')];
  }
  return url === undefined
    ? validateWebhookService(service as WebhookService, at.child('service'))
    : validateWebhookUrl(url, at.child('url'));
};

const matchConditions: Check = all(
  (value, at) => (objectsOf(value).length > 64 ? [fieldErrors.tooMany(at, objectsOf(value).length, 64)] : []),
  each(fields({ expression: required(), name: required(text(validateQualifiedName)) })),
  unique('name'),
);

const knownVersions = ['v1', 'v1beta1'];

const reviewVersions: Check = (value, at) => {
  const versions = strings(value);
  const listed = knownVersions.join(', ');
  if (versions.length === 0) return [fieldErrors.required(at, `must specify one of ${listed}`)];
  const errors = versions.flatMap((version, index) => {
    if (versions.indexOf(version) < index) return [invalid(at.index(index), version, 'duplicate version')];
    return validateDns1035Label(version).map((why) => invalid(at.index(index), version, why));
  });
  const known = versions.some((version) => knownVersions.includes(version));
  return known ? errors : [...errors, invalid(at, value, `must include at least one of ${listed}`)];
};

const webhook: Record<string, Check> = {
  name: required(fullyQualified),
  rules: each(fields(rule)),
  failurePolicy: oneOf('Fail', 'Ignore'),
  matchPolicy: oneOf('Equivalent', 'Exact'),
  sideEffects: required(oneOf('None', 'NoneOnDryRun'), 'must specify one of None, NoneOnDryRun'),
  timeoutSeconds: between(1, 30, 'the timeout value must be between 1 and 30 seconds'),
  namespaceSelector: selector,
  objectSelector: selector,
  reinvocationPolicy: oneOf('IfNeeded', 'Never'),
  clientConfig,
  matchConditions,
  admissionReviewVersions: reviewVersions,
};

/** Webhook configurations of both kinds. */
export const webhookConfiguration: Check = fields({ webhooks: all(each(fields(webhook)), unique('name')) });

const namedRule = fields({
  resourceNames: (value, at) => {
    const names = strings(value);
    return names.flatMap((name, index) => [
      ...validatePathSegmentName(name).map((why) => invalid(at.index(index), name, why)),
      ...(names.indexOf(name) < index ? [fieldErrors.duplicate(at.index(index), name)] : []),
    ]);
  },
  ...rule,
});

const matchResources = fields({
  matchPolicy: required(oneOf('Equivalent', 'Exact')),
  namespaceSelector: (value, at) => (isObject(value) ? selector(value, at) : [fieldErrors.required(at)]),
  objectSelector: (value, at) => (isObject(value) ? selector(value, at) : [fieldErrors.required(at)]),
  resourceRules: each(namedRule),
  excludeResourceRules: each(namedRule),
});

const matchConstraints: Check = (value, at) => {
  if (!isObject(value)) return [fieldErrors.required(at)];
  const errors = matchResources(value, at);
  return isMissing(value.resourceRules)
    ? [...errors, fieldErrors.required(at.child('resourceRules'))]
    : errors;
};

const paramKind = fields({ apiVersion: required(), kind: required() });
const variables = each(
  fields({
    name: required(undefined, 'name is not specified'),
    expression: required(undefined, 'expression is not specified'),
  }),
);
const noLineBreaks: Check = (value, at) =>
  typeof value === 'string' && /[\r\n]/.test(value.trim())
    ? [invalid(at, value, 'must not contain line breaks')]
    : [];

const policy: Record<string, Check> = {
  failurePolicy: required(oneOf('Fail', 'Ignore')),
  paramKind,
  matchConstraints,
  matchConditions,
  variables,
};

const oneIsNeeded = 'validations or auditAnnotations must contain at least one item';

/** ValidatingAdmissionPolicies, but for the meaning of their expressions. */
export const validatingPolicy: Check = fields({
  spec: fields(
    {
      ...policy,
      validations: each(
        fields({
          expression: required(undefined, 'expression is not specified'),
          message: noLineBreaks,
          reason: oneOf('Forbidden', 'Invalid', 'RequestEntityTooLarge'),
        }),
      ),
      auditAnnotations: unique('key'),
    },
    (value, at) =>
      isObject(value) && isMissing(value.validations) && isMissing(value.auditAnnotations)
        ? ['validations', 'auditAnnotations'].map((name) => fieldErrors.required(at.child(name), oneIsNeeded))
        : [],
  ),
});

const mutation: Check = (value, at) => {
  const { patchType, jsonPatch, applyConfiguration } = (isObject(value) ? value : {}) as Record<
    string,
    unknown
  >;
  if (isMissing(patchType)) return [fieldErrors.required(at.child('patchType'))];
  const kinds: Record<string, readonly [field: string, value: unknown, other: string, otherValue: unknown]> =
    {
      JSONPatch: ['jsonPatch', jsonPatch, 'applyConfiguration', applyConfiguration],
      ApplyConfiguration: ['applyConfiguration', applyConfiguration, 'jsonPatch', jsonPatch],
    };
  const found = kinds[String(patchType)];
  if (found === undefined)
    return [fieldErrors.notSupported(at.child('patchType'), patchType, Object.keys(kinds).sort())];
  const [field, own, other, otherValue] = found;
  const text = `when patchType is ${String(patchType)}`;
  return [
    ...(own === undefined ? [fieldErrors.required(at.child(field), `must be specified ${text}`)] : []),
    ...(otherValue === undefined
      ? []
      : [invalid(at.child(other), `{${other}}`, `must not be specified ${text}`)]),
    ...fields({ expression: required() })(own, at.child(field)),
  ];
};

/** MutatingAdmissionPolicies, but for the meaning of their expressions. */
export const mutatingPolicy: Check = fields({
  spec: fields({
    ...policy,
    mutations: required(each(mutation), 'mutations must contain at least one item'),
    reinvocationPolicy: required(oneOf('IfNeeded', 'Never')),
  }),
});

const dnsSubdomain: Check = text((name) => nameIsDnsSubdomain(name, false));

const paramRef: Check = (value, at) => {
  if (!isObject(value)) return [];
  const both = !isMissing(value.name) && value.selector !== undefined;
  const exclusive = (field: string) =>
    fieldErrors.forbidden(at.child(field), 'name and selector are mutually exclusive');
  return [
    ...text(validatePathSegmentName)(value.name, at.child('name')),
    ...(both ? [exclusive('name')] : []),
    ...selector(value.selector, at.child('selector')),
    ...(both ? [exclusive('selector')] : []),
    ...(isMissing(value.name) && value.selector === undefined
      ? [fieldErrors.required(at, 'one of name or selector must be specified')]
      : []),
    ...required(oneOf('Deny', 'Allow'))(value.parameterNotFoundAction, at.child('parameterNotFoundAction')),
  ];
};

const actions: Check = (value: unknown, at: FieldPath) => {
  const list = strings(value);
  const errors = list.flatMap((action, index) => [
    ...oneOf('Audit', 'Deny', 'Warn')(action, at.index(index)),
    ...(list.indexOf(action) < index ? [fieldErrors.duplicate(at.index(index), action)] : []),
  ]);
  if (!list.includes('Deny') || !list.includes('Warn')) return errors;
  const text =
    'must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)';
  return [...errors, invalid(at, value, text)];
};

const binding: Record<string, Check> = {
  policyName: required(dnsSubdomain),
  paramRef,
  matchResources,
};

export const mutatingBinding: Check = fields({ spec: fields(binding) });
export const validatingBinding: Check = fields({
  spec: fields({
    ...binding,
    validationActions: required(actions, 'at least one validation action is required'),
  }),
});
