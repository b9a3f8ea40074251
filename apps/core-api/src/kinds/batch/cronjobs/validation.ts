import { type FieldError, fieldErrors, FieldPath, isObject, type KubeObject } from '@annex/machinery';
import { all, type Check, fields, nonNegative, oneOf, required } from '../../shared/checks.ts';
import { validateJobSpec } from '../jobs/validation.ts';
import { schedule } from './schedule.ts';

const { invalid } = fieldErrors;

const explicitZone = 'timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones';

const timeZone: Check = (value, at) => {
  if (typeof value !== 'string') return [];
  if (value === '') return [invalid(at, value, 'timeZone must be nil or non-empty string')];
  if (value.toLowerCase() === 'local') return [invalid(at, value, explicitZone)];
  try {
    new Intl.DateTimeFormat('en', { timeZone: value });
    return [];
  } catch {
    return [invalid(at, value, `unknown time zone ${value}`)];
  }
};

/** The server generates the selectors of the Jobs when it creates them. */
const templateSelector: Check = (value, at) => {
  const { selector: own, manualSelector } = isObject(value) ? value : {};
  const manual = at.child('manualSelector');
  return [
    ...(isObject(own) ? [invalid(at.child('selector'), own, '`selector` will be auto-generated')] : []),
    ...(manualSelector === true ? [fieldErrors.notSupported(manual, true, ['nil', 'false'])] : []),
  ];
};

/** Checks a CronJob. */
export const validateCronJob: Check = fields({
  spec: fields({
    schedule: required(schedule),
    startingDeadlineSeconds: nonNegative,
    timeZone,
    concurrencyPolicy: required(oneOf('Allow', 'Forbid', 'Replace')),
    jobTemplate: fields({ spec: all(templateSelector, validateJobSpec) }),
    successfulJobsHistoryLimit: nonNegative,
    failedJobsHistoryLimit: nonNegative,
  }),
});

/** Checks the name of a new CronJob: the names of its Jobs are eleven characters longer. */
export const validateCronJobName = ({ metadata: { name = '' } }: KubeObject): FieldError[] =>
  name.length > 52
    ? [invalid(FieldPath.of('metadata', 'name'), name, 'must be no more than 52 characters')]
    : [];
