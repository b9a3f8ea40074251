import {
  type FieldError,
  fieldErrors,
  isObject,
  validateDns1035Label,
  validateDns1123Subdomain,
  validateQualifiedName,
} from '@annex/machinery';
import { admissionEnvironment, types } from '@annex/cel';
import { validateWebhookService, validateWebhookUrl, type WebhookService } from '@annex/admission';
import { expressionOf, filled } from './expressions.ts';
import {
  all,
  between,
  type Check,
  each,
  fields,
  objectsOf,
  oneOf,
  required,
  selector,
  text,
  unique,
} from '../../shared/checks.ts';

const { invalid } = fieldErrors;
export const strings = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : []);

/** A star stands for everything, so nothing may stand beside it. */
const aloneIfStar =
  (what: string): Check =>
  (value, at) => {
    const list = strings(value);
    const text = `if '*' is present, must not specify other ${what}`;
    return list.length > 1 && list.includes('*') ? [invalid(at, value, text)] : [];
  };

const notEmpty: Check = (value, at) => (value === '' ? [fieldErrors.required(at)] : []);

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

/** A RuleWithOperations. */
export const rule: Record<string, Check> = {
  operations: required(all(aloneIfStar('operations'), each(oneOf(...operations)))),
  apiGroups: required(aloneIfStar('API groups')),
  apiVersions: required(all(aloneIfStar('API versions'), each(notEmpty))),
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

/** Conditions of webhooks and policies; those of policies with a paramKind may use params. */
export const matchConditions = (params: boolean): Check => {
  const environment = admissionEnvironment({ params, authorizer: true });
  const expression: Check = (value, at) => expressionOf(environment, types.bool)(String(value).trim(), at);
  return all(
    (value, at) =>
      objectsOf(value).length > 64 ? [fieldErrors.tooMany(at, objectsOf(value).length, 64)] : [],
    each(fields({ expression: filled('', expression), name: required(text(validateQualifiedName)) })),
    unique('name'),
  );
};

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
  matchConditions: matchConditions(false),
  admissionReviewVersions: reviewVersions,
};

/** Webhook configurations of both kinds. */
export const webhookConfiguration: Check = fields({ webhooks: all(each(fields(webhook)), unique('name')) });
