import type { FieldPath } from '@annex/machinery';
import {
  emptyFieldOf,
  type FieldError,
  fieldErrors,
  goQuote,
  isObject,
  type JsonObject,
  omittedValue,
  validateQualifiedName,
  repetitions,
} from '@annex/machinery';
import { type Check, childOf, each, isMissing, objectsOf, oneOf } from '../../shared/checks.ts';
import { successPolicy } from './success-policy.ts';

const { invalid } = fieldErrors;

/** Checks when the pods of a Job make it fail, and when enough of them have succeeded. */
export function jobPolicies(spec: JsonObject, at: FieldPath): FieldError[] {
  return [
    ...failureRules(spec, childOf(spec, 'podFailurePolicy').rules, at.child('podFailurePolicy', 'rules')),
    ...successPolicy(spec, at.child('successPolicy')),
  ];
}

const mostRules = 20;
const mostConditions = 20;
const mostCodes = 255;

/** Requires one of some texts; the error for an empty one lists them in Go's form. */
const oneOfListed =
  (...values: string[]): Check =>
  (value, at) =>
    isMissing(value)
      ? [fieldErrors.required(at, `valid values: [${values.map(goQuote).join(' ')}]`)]
      : oneOf(...values)(value, at);

const action = oneOfListed('Count', 'FailIndex', 'FailJob', 'Ignore');

function failureRules(spec: JsonObject, rules: unknown, at: FieldPath): FieldError[] {
  const list = objectsOf(rules);
  const { containers, initContainers } = childOf(childOf(spec, 'template'), 'spec');
  const names = new Set([...objectsOf(containers), ...objectsOf(initContainers)].map(({ name }) => name));
  return [
    ...(list.length > mostRules ? [fieldErrors.tooMany(at, list.length, mostRules)] : []),
    ...each(failureRule(spec, names))(list, at),
  ];
}

const failureRule =
  (spec: JsonObject, containers: ReadonlySet<unknown>): Check =>
  (value, at) => {
    const rule: JsonObject = isObject(value) ? value : {};
    const conditions = objectsOf(rule.onPodConditions);
    const byCode = isObject(rule.onExitCodes);
    const where = at.child('action');
    const errors = action(rule.action, where);
    if (rule.action === 'FailIndex' && spec.backoffLimitPerIndex === undefined)
      errors.push(invalid(where, rule.action, 'requires the backoffLimitPerIndex to be set'));
    if (byCode) errors.push(...exitCodes(childOf(rule, 'onExitCodes'), containers, at.child('onExitCodes')));
    const list = at.child('onPodConditions');
    if (conditions.length > mostConditions)
      errors.push(fieldErrors.tooMany(list, conditions.length, mostConditions));
    errors.push(...each(condition)(conditions, list));
    if (byCode && conditions.length > 0)
      errors.push(
        invalid(at, omittedValue, 'specifying both OnExitCodes and OnPodConditions is not supported'),
      );
    if (!byCode && conditions.length === 0)
      errors.push(invalid(at, omittedValue, 'specifying one of OnExitCodes and OnPodConditions is required'));
    return errors;
  };

const conditionStatus = oneOfListed('False', 'True', 'Unknown');

const condition: Check = (value, at) => {
  const { type = '', status } = isObject(value) ? value : {};
  const path = at.child('type');
  return [
    ...validateQualifiedName(String(type)).map((why) => invalid(path, type, why)),
    ...conditionStatus(status, at.child('status')),
  ];
};

const codeOperator = oneOfListed('In', 'NotIn');
const unknownContainer = 'must be one of the container or initContainer names in the pod template';

function exitCodes(codes: JsonObject, containers: ReadonlySet<unknown>, at: FieldPath): FieldError[] {
  const { operator, values, containerName } = codes;
  const where = at.child('values');
  const list: unknown[] = Array.isArray(values) ? values : [];
  const isRepeated = repetitions();
  const errors = codeOperator(operator, at.child('operator'));
  if (typeof containerName === 'string' && !containers.has(containerName))
    errors.push(invalid(at.child('containerName'), containerName, unknownContainer));
  if (list.length === 0)
    errors.push(invalid(where, emptyFieldOf(codes, 'values') ?? null, 'at least one value is required'));
  else if (list.length > mostCodes) errors.push(fieldErrors.tooMany(where, list.length, mostCodes));
  for (const [index, code] of list.entries()) {
    if (operator === 'In' && code === 0)
      errors.push(invalid(where.index(index), code, 'must not be 0 for the In operator'));
    if (isRepeated(code)) errors.push(fieldErrors.duplicate(where.index(index), code));
  }
  if (list.some((code, index) => index > 0 && Number(list[index - 1]) > Number(code)))
    errors.push(invalid(where, values, 'must be ordered'));
  return errors;
}
