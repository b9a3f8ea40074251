import {
  type FieldError,
  fieldErrors,
  type FieldPath,
  validateLabelValue,
  validateQualifiedName,
} from '@annex/machinery';
import type { NodeAffinity, NodeSelectorRequirement, NodeSelectorTerm } from '../objects/pod.ts';

const { invalid, notSupported } = fieldErrors;
const operators = ['In', 'NotIn', 'Exists', 'DoesNotExist', 'Gt', 'Lt'];
const integer = /^[+-]?\d+$/;

/** Returns the errors of the node affinity that a configuration adds to all Pods. */
export function validateNodeAffinityArguments(
  affinity: NodeAffinity | undefined | null,
  at: FieldPath,
): FieldError[] {
  const required = affinity?.requiredDuringSchedulingIgnoredDuringExecution;
  const preferred = affinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  const requiredAt = at.child('requiredDuringSchedulingIgnoredDuringExecution', 'nodeSelectorTerms');
  const preferredAt = at.child('preferredDuringSchedulingIgnoredDuringExecution');
  return [
    ...(required?.nodeSelectorTerms ?? []).flatMap((term, i) => termErrors(term, requiredAt.index(i))),
    ...preferred.flatMap(({ weight, preference }, i) =>
      weight === 0 ? [] : termErrors(preference, preferredAt.index(i)),
    ),
  ];
}

const termErrors = (
  { matchExpressions = [], matchFields = [] }: NodeSelectorTerm,
  at: FieldPath,
): FieldError[] => [
  ...matchExpressions.flatMap((one, i) => expressionErrors(one, at.child('matchExpressions').index(i))),
  ...matchFields.flatMap((one, i) => fieldSelectorErrors(one, at.child('matchFields').index(i))),
];

function expressionErrors(
  { key, operator, values = [] }: NodeSelectorRequirement,
  at: FieldPath,
): FieldError[] {
  if (!operators.includes(operator)) return [notSupported(at.child('operator'), operator, operators)];
  const valuesAt = at.child('values');
  const problemsOfKey = validateQualifiedName(key);
  return [
    ...(problemsOfKey.length === 0 ? [] : [invalid(at.child('key'), key, problemsOfKey.join('; '))]),
    ...arityErrors(operator, values, valuesAt),
    ...values.flatMap((value, i) => {
      const problems = validateLabelValue(value);
      return problems.length === 0 ? [] : [invalid(valuesAt.index(i).key(key), value, problems.join('; '))];
    }),
  ];
}

function arityErrors(operator: string, values: readonly string[], at: FieldPath): FieldError[] {
  if (operator === 'In' || operator === 'NotIn')
    return values.length > 0
      ? []
      : [invalid(at, null, "for 'in', 'notin' operators, values set can't be empty")];
  if (operator === 'Exists' || operator === 'DoesNotExist')
    return values.length === 0
      ? []
      : [invalid(at, values, 'values set must be empty for exists and does not exist')];
  if (values.length !== 1)
    return [invalid(at, values, "for 'Gt', 'Lt' operators, exactly one value is required")];
  return integer.test(values[0] ?? '')
    ? []
    : [invalid(at.index(0), values[0], "for 'Gt', 'Lt' operators, the value must be an integer")];
}

function fieldSelectorErrors(
  { operator, values = [] }: NodeSelectorRequirement,
  at: FieldPath,
): FieldError[] {
  if (operator !== 'In' && operator !== 'NotIn')
    return [notSupported(at.child('operator'), operator, ['In', 'NotIn'])];
  return values.length === 1 ? [] : [invalid(at.child('values'), values, 'must have one element')];
}
