import type { FieldPath } from '@annex/machinery';
import {
  type FieldError,
  fieldErrors,
  getOwn,
  isObject,
  type JsonObject,
  type KubeObject,
  validateDns1123Label,
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
  completionMode: oneOf('NonIndexed', 'Indexed'),
});

function modeErrors(spec: JsonObject, at: FieldPath): FieldError[] {
  if (spec.completionMode === 'Indexed') {
    return indexedErrors(spec as Partial<Record<string, number>>, at);
  }
  return ['backoffLimitPerIndex', 'maxFailedIndexes']
    .filter((name) => getOwn(spec, name) !== undefined)
    .map((name) => invalid(at.child(name), getOwn(spec, name), 'requires indexed completion mode'));
}

const mostIndexes = 100_000;

function indexedErrors(spec: Partial<Record<string, number>>, at: FieldPath): FieldError[] {
  const { completions, parallelism = 0, maxFailedIndexes, backoffLimitPerIndex } = spec;
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
  if (backoffLimitPerIndex === undefined) {
    const why = 'when maxFailedIndexes is specified';
    errors.push(fieldErrors.required(at.child('backoffLimitPerIndex'), why));
  }
  return errors;
}

/** Pods of a Job must not always restart, so that they can end. */
const ends: Check = (value, at) => {
  if (isMissing(value) || value === 'Always') {
    return [fieldErrors.required(at, 'valid values: "OnFailure", "Never"')];
  }
  return oneOf('OnFailure', 'Never')(value, at);
};

/** Checks the spec of a Job, except for its selector; also in CronJobs. */
export const validateJobSpec: Check = (value, at) => {
  const spec = isObject(value) ? value : {};
  const template = at.child('template');
  return [
    ...numbers(spec, at),
    ...modeErrors(spec, at),
    ...replacementPolicies(spec)(spec.podReplacementPolicy, at.child('podReplacementPolicy')),
    ...managedBy(spec.managedBy, at.child('managedBy')),
    ...jobPolicies(spec, at),
    ...validatePodTemplate(spec.template, template),
    ...ends(childOf(spec.template, 'spec').restartPolicy, template.child('spec', 'restartPolicy')),
  ];
};

/** A failure policy decides about Pods that have failed, not about those that still end. */
const replacementPolicies = ({ podFailurePolicy }: JsonObject): Check =>
  podFailurePolicy === undefined ? oneOf('Failed', 'TerminatingOrFailed') : oneOf('Failed');

const managedBy: Check = (value, at) =>
  typeof value === 'string' && !/^[^\s/]+\/[^\s]+$/.test(value)
    ? [invalid(at, value, 'must be a domain-prefixed path (such as "acme.io/foo")')]
    : [];

const ownSpec: Check = (value, at) => {
  const spec = isObject(value) ? value : {};
  const where = at.child('selector');
  return [
    ...validateJobSpec(value, at),
    ...(isObject(spec.selector) ? selector(spec.selector, where) : [fieldErrors.required(where)]),
    ...selectorMatchesTemplate(spec, at),
  ];
};

/** Checks a Job. */
export const validateJob: Check = fields({ spec: ownSpec });

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
