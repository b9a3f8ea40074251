import { validateWebhookService, validateWebhookUrl, type WebhookService } from '@annex/admission';
import {
  errorsOfEach,
  type FieldError,
  fieldErrors,
  isObject,
  type KubeObject,
  type Passes,
  repetitions,
  validateDns1035Label,
  validateDns1123Subdomain,
} from '@annex/machinery';
import {
  all,
  between,
  type Check,
  each,
  fields,
  oneOf,
  present,
  required,
  selector,
  unique,
} from '../../shared/checks.ts';
import { Expressions } from './expressions.ts';
import { validateMatchConditions } from './match-conditions.ts';
import { ruleFields, strings } from './rules.ts';

const { invalid } = fieldErrors;

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

const knownVersions = ['v1', 'v1beta1'];

const reviewVersions: Check = (value, at) => {
  const versions = strings(value);
  const listed = knownVersions.join(', ');
  if (versions.length === 0) return [fieldErrors.required(at, `must specify one of ${listed}`)];
  const isRepeated = repetitions();
  const errors = errorsOfEach(versions, (version, index) => {
    if (isRepeated(version)) return [invalid(at.index(index), version, 'duplicate version')];
    return validateDns1035Label(version).map((why) => invalid(at.index(index), version, why));
  });
  const known = versions.some((version) => knownVersions.includes(version));
  return known ? errors : [...errors, invalid(at, value, `must include at least one of ${listed}`)];
};

const webhook = (expressions: Expressions): Record<string, Check> => ({
  name: required(fullyQualified),
  rules: each(fields(ruleFields)),
  failurePolicy: oneOf('Fail', 'Ignore'),
  matchPolicy: oneOf('Equivalent', 'Exact'),
  sideEffects: present(oneOf('None', 'NoneOnDryRun'), 'must specify one of None, NoneOnDryRun'),
  timeoutSeconds: between(1, 30, 'the timeout value must be between 1 and 30 seconds'),
  namespaceSelector: selector,
  objectSelector: selector,
  reinvocationPolicy: oneOf('IfNeeded', 'Never'),
  clientConfig,
  matchConditions: validateMatchConditions(false, expressions),
  admissionReviewVersions: reviewVersions,
});

/** Checks a webhook configuration of either kind. */
export function checkWebhookConfiguration(configuration: KubeObject): Passes<FieldError[]> {
  const expressions = new Expressions();
  const webhooks = all(each(fields(webhook(expressions))), unique('name'));
  return expressions.check(fields({ webhooks }), configuration);
}
