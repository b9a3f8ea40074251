import type { FieldPath } from '@annex/machinery';
import { type FieldError, fieldErrors, isObject, type JsonObject } from '@annex/machinery';
import { type Check, childOf, each, isMissing, objectsOf, oneOf, required } from '../../shared/checks.ts';

const { invalid } = fieldErrors;

/** Checks when the pods of a Job make it fail, and when enough of them have succeeded. */
export function jobPolicies(spec: JsonObject, at: FieldPath): FieldError[] {
  return [
    ...failureRules(childOf(spec, 'podFailurePolicy').rules, at.child('podFailurePolicy', 'rules')),
    ...successPolicy(spec, at.child('successPolicy')),
  ];
}

const actions = ['Count', 'FailIndex', 'FailJob', 'Ignore'];

const failureRule: Check = (value, at) => {
  const rule: JsonObject = isObject(value) ? value : {};
  const conditions = objectsOf(rule.onPodConditions);
  const byCode = isObject(rule.onExitCodes);
  const errors = [...required(oneOf(...actions))(rule.action, at.child('action'))];
  if (byCode) errors.push(...exitCodes(childOf(rule, 'onExitCodes'), at.child('onExitCodes')));
  errors.push(...each(condition)(conditions, at.child('onPodConditions')));
  if (!byCode && conditions.length === 0) {
    errors.push(invalid(at, undefined, 'specifying one of OnExitCodes and OnPodConditions is required'));
  }
  if (byCode && conditions.length > 0) {
    errors.push(invalid(at, undefined, 'specifying both OnExitCodes and OnPodConditions is not supported'));
  }
  return errors;
};

const failureRules = each(failureRule);

const condition: Check = (value, at) => {
  const { type, status } = isObject(value) ? value : {};
  return [
    ...required()(type, at.child('type')),
    ...required(oneOf('False', 'True', 'Unknown'))(status, at.child('status')),
  ];
};

function exitCodes({ operator, values }: JsonObject, at: FieldPath): FieldError[] {
  const where = at.child('values');
  const list = Array.isArray(values) ? values : [];
  const seen = new Set<unknown>();
  const errors = [...required(oneOf('In', 'NotIn'))(operator, at.child('operator'))];
  if (list.length === 0) errors.push(invalid(where, list, 'at least one value is required'));
  else if (list.length > 255) errors.push(fieldErrors.tooMany(where, list.length, 255));
  list.forEach((code, index) => {
    if (operator === 'In' && code === 0)
      errors.push(invalid(where.index(index), code, 'must not be 0 for the In operator'));
    if (seen.has(code)) errors.push(fieldErrors.duplicate(where.index(index), code));
    seen.add(code);
  });
  return errors;
}

function successPolicy(spec: JsonObject, at: FieldPath): FieldError[] {
  if (!isObject(spec.successPolicy)) return [];
  const rules = objectsOf(spec.successPolicy.rules);
  if (spec.completionMode !== 'Indexed') {
    const shown = rules.map(({ succeededIndexes = null, succeededCount = null }) => ({
      SucceededIndexes: succeededIndexes,
      SucceededCount: succeededCount,
    }));
    return [invalid(at, { Rules: shown }, 'requires indexed completion mode')];
  }
  const where = at.child('rules');
  if (rules.length === 0)
    return [fieldErrors.required(where, 'at least one rules must be specified for the successPolicy')];
  return rules.flatMap((rule, index) => successRule(rule, where.index(index)));
}

function successRule({ succeededIndexes, succeededCount }: JsonObject, at: FieldPath): FieldError[] {
  if (isMissing(succeededIndexes) && isMissing(succeededCount)) {
    return [fieldErrors.required(at, 'at least one of succeededCount or succeededIndexes must be specified')];
  }
  const bad = String(succeededIndexes ?? '0')
    .split(/[,-]/)
    .find((index) => !/^\d+$/.test(index));
  if (bad === undefined) return [];
  const why = `cannot convert string to integer for index: ${JSON.stringify(bad)}`;
  return [invalid(at.child('succeededIndexes'), succeededIndexes, `error parsing succeededIndexes: ${why}`)];
}
