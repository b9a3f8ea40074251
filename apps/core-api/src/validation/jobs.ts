import {
  type FieldError,
  FieldPath,
  fieldErrors,
  isObject,
  type JsonObject,
  type KubeObject,
} from '@annex/machinery';
import { type Check, childOf, fields, isMissing, nonNegative, oneOf, required, selector } from './checks.ts';
import { podTemplate } from './workloads.ts';

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
    const text = 'when completion mode is Indexed';
    return spec.completions === undefined ? [fieldErrors.required(at.child('completions'), text)] : [];
  }
  return ['backoffLimitPerIndex', 'maxFailedIndexes']
    .filter((name) => spec[name] !== undefined)
    .map((name) => invalid(at.child(name), spec[name], 'requires indexed completion mode'));
}

/** Pods of a Job end some day, so they must not restart always. */
const ends: Check = (value, at) => {
  if (isMissing(value) || value === 'Always') {
    return [fieldErrors.required(at, 'valid values: "OnFailure", "Never"')];
  }
  return oneOf('OnFailure', 'Never')(value, at);
};

const jobSpec: Check = (value, at) => {
  const spec = isObject(value) ? value : {};
  const template = at.child('template');
  return [
    ...numbers(spec, at),
    ...modeErrors(spec, at),
    ...oneOf('Failed', 'TerminatingOrFailed')(spec.podReplacementPolicy, at.child('podReplacementPolicy')),
    ...podTemplate(spec.template, template),
    ...ends(childOf(spec.template, 'spec').restartPolicy, template.child('spec', 'restartPolicy')),
  ];
};

export const job: Check = fields({
  spec: (value, at) => {
    const own = isObject(value) ? value.selector : undefined;
    const where = at.child('selector');
    return [...jobSpec(value, at), ...(isObject(own) ? selector(own, where) : [fieldErrors.required(where)])];
  },
});

/** Five fields of numbers, names, ranges and steps, or a name such as `@daily`. */
const schedule: Check = (value, at) => {
  const text = String(value);
  if (text.includes('TZ')) {
    return [invalid(at, value, 'cannot use TZ or CRON_TZ in schedule, use timeZone field instead')];
  }
  if (/^@(yearly|annually|monthly|weekly|daily|midnight|hourly|every \S+)$/.test(text)) return [];
  if (text.startsWith('@')) return [invalid(at, value, `unrecognized descriptor: ${text}`)];
  const parts = text.trim().split(/\s+/);
  if (parts.length === 5) return [];
  return [invalid(at, value, `expected exactly 5 fields, found ${parts.length}: [${parts.join(' ')}]`)];
};

const timeZone: Check = (value, at) => {
  if (typeof value !== 'string') return [];
  if (value === '') return [invalid(at, value, 'timeZone must be nil or non-empty string')];
  try {
    new Intl.DateTimeFormat('en', { timeZone: value });
    return [];
  } catch {
    return [invalid(at, value, `unknown time zone ${value}`)];
  }
};

export const cronJob: Check = fields({
  spec: fields({
    schedule: required(schedule),
    startingDeadlineSeconds: nonNegative,
    timeZone,
    concurrencyPolicy: required(oneOf('Allow', 'Forbid', 'Replace')),
    jobTemplate: fields({ spec: jobSpec }),
    successfulJobsHistoryLimit: nonNegative,
    failedJobsHistoryLimit: nonNegative,
  }),
});

/** The Jobs of a CronJob get eleven more characters. */
export const cronJobName = ({ metadata: { name = '' } }: KubeObject): FieldError[] =>
  name.length > 52
    ? [invalid(FieldPath.of('metadata', 'name'), name, 'must be no more than 52 characters')]
    : [];
