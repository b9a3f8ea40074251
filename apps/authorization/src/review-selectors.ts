import {
  type FieldError,
  type FieldPath,
  fieldErrors,
  parseFieldSelector,
  parseLabelSelector,
  validateLabelKey,
  validateLabelValue,
} from '@annex/machinery';
import type { ResourceAttributes, SelectorAttributes, SelectorRequirement } from './review-types.ts';

type Kind = 'fieldSelector' | 'labelSelector';
const kinds: readonly Kind[] = ['fieldSelector', 'labelSelector'];

/** What is wrong with the selectors of a review. */
export function validateSelectors(attributes: ResourceAttributes, path: FieldPath): FieldError[] {
  return kinds.flatMap((kind) => {
    const selector = attributes[kind];
    return selector ? validateSelector(kind, selector, path.child(kind)) : [];
  });
}

function validateSelector(
  kind: Kind,
  { rawSelector = '', requirements }: SelectorAttributes,
  at: FieldPath,
): FieldError[] {
  const list = requirements ?? [];
  const errors: FieldError[] = [];
  if (rawSelector !== '' && list.length > 0) {
    const why = 'may not specified at the same time as requirements';
    errors.push(fieldErrors.invalid(at.child('rawSelector'), rawSelector, why));
  }
  if (rawSelector === '' && list.length === 0) {
    const why = `when ${at} is specified, requirements or rawSelector is required`;
    errors.push(fieldErrors.required(at.child('requirements'), why));
  }
  return [
    ...errors,
    ...list.flatMap((one, i) => validateRequirement(kind, one, at.child('requirements').index(i))),
  ];
}

/** Operators that this version does not know are let through: newer clients may send them. */
function validateRequirement(kind: Kind, requirement: SelectorRequirement, at: FieldPath): FieldError[] {
  const { key = '', operator = '' } = requirement;
  const values = requirement.values ?? [];
  const errors: FieldError[] = [];
  if ((operator === 'In' || operator === 'NotIn') && values.length === 0) {
    errors.push(
      fieldErrors.required(at.child('values'), "must be specified when `operator` is 'In' or 'NotIn'"),
    );
  }
  if ((operator === 'Exists' || operator === 'DoesNotExist') && values.length > 0) {
    const why = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'";
    errors.push(fieldErrors.forbidden(at.child('values'), why));
  }
  if (kind === 'labelSelector') {
    return [
      ...errors,
      ...validateLabelKey(key, at.child('key')),
      ...labelValueErrors(values, at.child('values')),
    ];
  }
  return key === '' ? [fieldErrors.required(at.child('key'), 'must be specified'), ...errors] : errors;
}

const labelValueErrors = (values: readonly string[], at: FieldPath): FieldError[] =>
  values.flatMap((value, i) =>
    validateLabelValue(value).map((why) => fieldErrors.invalid(at.index(i), value, why)),
  );

/** What a review says of selectors that cannot be understood: they are left out of the question. */
export function selectorProblems(attributes: ResourceAttributes): string[] {
  return kinds.flatMap((kind) => {
    const selector = attributes[kind];
    const ignored = selector ? ignoredParts(kind, selector) : undefined;
    if (ignored === undefined) return [];
    return [
      `spec.resourceAttributes.${kind} ${ignored === 'all' ? '' : 'partially '}ignored due to parse error`,
    ];
  });
}

function ignoredParts(
  kind: Kind,
  { rawSelector, requirements }: SelectorAttributes,
): 'all' | 'some' | undefined {
  if (rawSelector) return parses(kind, rawSelector) ? undefined : 'all';
  const list = requirements ?? [];
  const understood = list.filter((requirement) => isUnderstood(kind, requirement)).length;
  if (understood === list.length) return undefined;
  return understood === 0 ? 'all' : 'some';
}

function parses(kind: Kind, text: string): boolean {
  try {
    if (kind === 'fieldSelector') parseFieldSelector(text);
    else parseLabelSelector(text);
    return true;
  } catch {
    return false;
  }
}

const labelOperators = new Set(['In', 'NotIn', 'Exists', 'DoesNotExist']);

function isUnderstood(kind: Kind, { operator = '', values }: SelectorRequirement): boolean {
  if (kind === 'labelSelector') return labelOperators.has(operator);
  return (operator === 'In' || operator === 'NotIn') && values?.length === 1;
}
