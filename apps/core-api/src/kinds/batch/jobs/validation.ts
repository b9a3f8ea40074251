import type { FieldPath } from '@annex/machinery';
import {
  type FieldError,
  fieldErrors,
  getOwn,
  isObject,
  type JsonObject,
  type KubeObject,
  validateDns1123Label,
  validateDns1123Subdomain,
} from '@annex/machinery';
import { selectorMatchesTemplate, validatePodTemplate } from '../../shared/pod-spec/template.ts';
import { type Check, childOf, fields, isMissing, nonNegative, oneOf, selector } from '../../shared/checks.ts';
import { jobPolicies } from './policies.ts';

const { invalid } = fieldErrors;

const numbers = fields({
  parallelism: nonNegative,
  completions: nonNegative,
  activeDeadlineSeconds: nonNegative,
  backoffLimit: nonNegative,
  ttlSecondsAfterFinished: nonNegative,
  backoffLimitPerIndex: nonNegative,
  maxFailedIndexes: nonNegative,
});
const mode = fields({ completionMode: oneOf('NonIndexed', 'Indexed') });

function modeErrors(spec: JsonObject, at: FieldPath): FieldError[] {
  if (spec.completionMode === 'Indexed') {
    return indexedErrors(spec as Partial<Record<string, number>>, at);
  }
  // An unknown mode has its own error.
  if (spec.completionMode !== undefined && spec.completionMode !== 'NonIndexed') return [];
  return ['backoffLimitPerIndex', 'maxFailedIndexes']
    .filter((name) => getOwn(spec, name) !== undefined)
    .map((name) => invalid(at.child(name), getOwn(spec, name), 'requires indexed completion mode'));
}

const mostIndexes = 100_000;

function indexedErrors(spec: Partial<Record<string, number>>, at: FieldPath): FieldError[] {
  const { completions, parallelism = 0, maxFailedIndexes } = spec;
  const text = 'when completion mode is Indexed';
  const errors: FieldError[] = [];
  if (completions === undefined) errors.push(fieldErrors.required(at.child('completions'), text));
  if (parallelism > mostIndexes) {
    const limit = `must be less than or equal to ${mostIndexes} ${text}`;
    errors.push(invalid(at.child('parallelism'), parallelism, limit));
  }
  if (maxFailedIndexes === undefined) return errors;
  if (completions !== undefined && maxFailedIndexes > completions)
    errors.push(
      invalid(at.child('maxFailedIndexes'), maxFailedIndexes, 'must be less than or equal to completions'),
    );
  if (maxFailedIndexes > mostIndexes)
    errors.push(
      invalid(at.child('maxFailedIndexes'), maxFailedIndexes, `must be less than or equal to ${mostIndexes}`),
    );
  return errors;
}

const failedIndexes: Check = (value, at) => {
  const { maxFailedIndexes, backoffLimitPerIndex } = isObject(value) ? value : {};
  if (maxFailedIndexes === undefined || backoffLimitPerIndex !== undefined) return [];
  return [fieldErrors.required(at.child('backoffLimitPerIndex'), 'when maxFailedIndexes is specified')];
};

/** Pods of a Job must not always restart, so that they can end; with a failure policy, they never restart. */
const ends =
  ({ podFailurePolicy }: JsonObject): Check =>
  (value, at) => {
    if (isMissing(value) || value === 'Always')
      return [fieldErrors.required(at, 'valid values: "OnFailure", "Never"')];
    if (value === 'OnFailure' && podFailurePolicy !== undefined)
      return [invalid(at, value, 'only "Never" is supported when podFailurePolicy is specified')];
    return oneOf('OnFailure', 'Never')(value, at);
  };

/** Checks the spec of a Job, except for its selector; also in CronJobs. */
export const validateJobSpec: Check = (value, at) => {
  const spec = isObject(value) ? value : {};
  const template = at.child('template');
  return [
    ...numbers(spec, at),
    ...failedIndexes(spec, at),
    ...managedBy(spec.managedBy, at.child('managedBy')),
    ...mode(spec, at),
    ...modeErrors(spec, at),
    ...jobPolicies(spec, at),
    ...replacementPolicies(spec)(spec.podReplacementPolicy, at.child('podReplacementPolicy')),
    ...validatePodTemplate(spec.template, template),
    ...ends(spec)(childOf(spec.template, 'spec').restartPolicy, template.child('spec', 'restartPolicy')),
  ];
};

/** A failure policy decides about Pods that have failed, not about those that still end. */
const replacementPolicies = ({ podFailurePolicy }: JsonObject): Check =>
  podFailurePolicy === undefined ? oneOf('Failed', 'TerminatingOrFailed') : oneOf('Failed');

const longestManager = 63;

/** Checks the name of a controller: a domain and a path. */
const managedBy: Check = (value, at) => {
  if (typeof value !== 'string') return [];
  const errors = domainPath(value, at);
  if (value.length > longestManager) errors.push(fieldErrors.tooLong(at, value, longestManager));
  return errors;
};

function domainPath(value: string, at: FieldPath): FieldError[] {
  if (value === '') return [fieldErrors.required(at)];
  const slash = value.indexOf('/');
  const [host, path] = [value.slice(0, Math.max(slash, 0)), value.slice(slash + 1)];
  if (host === '' || path === '')
    return [invalid(at, value, 'must be a domain-prefixed path (such as "acme.io/foo")')];
  const errors = validateDns1123Subdomain(host).map((why) => invalid(at, host, why));
  if (!pathCharacters.test(path)) errors.push(invalid(at, path, pathText));
  return errors;
}

const pathCharacters = /^[A-Za-z0-9/\-._~%!$&'()*+,;=:]+$/;
const pathText = "Invalid path (regex used for validation is '[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+')";

/** Checks the spec of a Job. */
export const validateOwnSpec: Check = (value, at) => {
  const spec = isObject(value) ? value : {};
  const where = at.child('selector');
  return [
    ...validateJobSpec(value, at),
    ...(isObject(spec.selector) ? selector(spec.selector, where) : [fieldErrors.required(where)]),
    ...selectorMatchesTemplate(spec, at, 'invalid label selector'),
  ];
};

/** Checks a Job. */
export const validateJob: Check = fields({ spec: validateOwnSpec });

/** Checks that a Job without `manualSelector` has exactly the generated selector. */
function generatedSelectorErrors({ metadata, spec: provided }: KubeObject): FieldError[] {
  const spec = isObject(provided) ? provided : {};
  if (spec.manualSelector === true) return [];
  const uid = 'batch.kubernetes.io/controller-uid';
  const own = childOf(spec, 'selector');
  const isOwn =
    Object.keys(own).every((name) => name === 'matchLabels') &&
    Object.entries(childOf(own, 'matchLabels')).every(
      ([name, value]) => name === uid && value === metadata.uid,
    );
  return isOwn ? [] : [invalid('spec.selector', own, '`selector` not auto-generated')];
}

/** Checks the names of the pods of indexed Jobs, which end in the index. */
function podNameErrors({ metadata: { name = '' }, spec }: KubeObject): FieldError[] {
  const { completionMode, completions } = (isObject(spec) ? spec : {}) as Record<string, unknown>;
  if (completionMode !== 'Indexed' || typeof completions !== 'number' || completions < 1) return [];
  const longest = `${name}-${completions - 1}`;
  if (validateDns1123Label(longest).length === 0) return [];
  const text = `will not able to create pod with invalid DNS label: ${longest}`;
  return [invalid('metadata.name', name, text)];
}

/** Checks the generated selector of a new Job, and the names of its pods. */
export const validateNewJob = (job: KubeObject): FieldError[] => [
  ...generatedSelectorErrors(job),
  ...podNameErrors(job),
];
