import type { Attributes } from '@annex/auth';
import {
  type FieldError,
  fieldErrors,
  type FieldPath,
  type FieldRequirement,
  type FieldSelector,
  type LabelOperator,
  type LabelRequirement,
  parseFieldSelector,
  parseLabelSelectorInPasses,
  type Passes,
  pushAll,
  tableOf,
  validateLabelKey,
  validateLabelValue,
} from '@annex/machinery';
import type { ResourceAttributes, SelectorAttributes, SelectorRequirement } from './types.ts';

type Kind = 'fieldSelector' | 'labelSelector';
const kinds: readonly Kind[] = ['fieldSelector', 'labelSelector'];

/** Returns the validation errors of the selectors of a review. */
export function* validateSelectors(
  attributes: ResourceAttributes,
  path: FieldPath,
): Passes<readonly FieldError[]> {
  const errors: FieldError[] = [];
  for (const kind of kinds) {
    const selector = attributes[kind];
    if (selector) pushAll(errors, yield* validateSelector(kind, selector, path.child(kind)));
  }
  return errors;
}

function* validateSelector(
  kind: Kind,
  { rawSelector = '', requirements }: SelectorAttributes,
  at: FieldPath,
): Passes<readonly FieldError[]> {
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
  const path = at.child('requirements');
  for (const [i, requirement] of list.entries()) {
    if (i % requirementsAtOnce === requirementsAtOnce - 1) yield;
    pushAll(errors, yield* validateRequirement(kind, requirement, path.index(i)));
  }
  return errors;
}

/** How many requirements, or values of one, a pass visits. */
const requirementsAtOnce = 500;

/** Accepts unknown operators: newer clients may send them. */
function* validateRequirement(
  kind: Kind,
  requirement: SelectorRequirement,
  at: FieldPath,
): Passes<readonly FieldError[]> {
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
  if (kind !== 'labelSelector')
    return key === '' ? [fieldErrors.required(at.child('key'), 'must be specified'), ...errors] : errors;
  pushAll(errors, validateLabelKey(key, at.child('key')));
  for (const [i, value] of values.entries()) {
    if (i % requirementsAtOnce === requirementsAtOnce - 1) yield;
    for (const why of validateLabelValue(value))
      errors.push(fieldErrors.invalid(at.child('values').index(i), value, why));
  }
  return errors;
}

/**
 * Adds the selector requirements of a review to the attributes, and returns evaluation errors for the rest. Requirements that cannot be
 * parsed are left out, so the attributes describe a broader request.
 */
export function* readSelectors(
  { fieldSelector, labelSelector }: ResourceAttributes,
  into: Pick<Attributes, 'fieldSelector' | 'labelSelector'>,
): Passes<readonly string[]> {
  const fields = fieldSelector ? yield* read(fieldSelector, parseFields, fieldRequirement) : nothing;
  const labels = labelSelector
    ? yield* read(labelSelector, parseLabelSelectorInPasses, labelRequirement)
    : nothing;
  if (fields.requirements.length > 0) into.fieldSelector = fields.requirements;
  if (labels.requirements.length > 0) into.labelSelector = labels.requirements;
  return [...problem('fieldSelector', fields), ...problem('labelSelector', labels)];
}

/** Returns whether attributes have a selector. */
export const hasSelector = (attributes: ResourceAttributes | null | undefined): boolean =>
  Boolean(attributes?.fieldSelector || attributes?.labelSelector);

/** Returns whether it takes long to read the selectors of a review. */
export const hasLongSelector = ({ fieldSelector, labelSelector }: ResourceAttributes): boolean =>
  isLong(fieldSelector) || isLong(labelSelector);

const [longText, manyValues] = [4096, 100];

function isLong(selector: SelectorAttributes | null | undefined): boolean {
  const { rawSelector, requirements } = selector ?? {};
  if ((rawSelector?.length ?? 0) > longText || (requirements?.length ?? 0) > manyValues) return true;
  return requirements?.some(({ values }) => (values?.length ?? 0) > manyValues) === true;
}

function* parseFields(text: string): Passes<FieldSelector> {
  yield;
  return parseFieldSelector(text);
}

interface ParsedSelector<T> {
  requirements: readonly T[];
  ignored: boolean;
}

const nothing: ParsedSelector<never> = { requirements: [], ignored: false };

function problem(kind: Kind, { requirements, ignored }: ParsedSelector<unknown>): string[] {
  if (!ignored) return [];
  const partially = requirements.length > 0 ? 'partially ' : '';
  return [`spec.resourceAttributes.${kind} ${partially}ignored due to parse error`];
}

function* read<T>(
  { rawSelector, requirements }: SelectorAttributes,
  parse: (text: string) => Passes<{ requirements: readonly T[] }>,
  convert: (requirement: SelectorRequirement) => T | undefined,
): Passes<ParsedSelector<T>> {
  if (rawSelector) {
    try {
      return { requirements: (yield* parse(rawSelector)).requirements, ignored: false };
    } catch {
      return { requirements: [], ignored: true };
    }
  }
  const all = requirements ?? [];
  const known: T[] = [];
  for (const [i, requirement] of all.entries()) {
    if (i % requirementsAtOnce === requirementsAtOnce - 1) yield;
    const converted = convert(requirement);
    if (converted !== undefined) known.push(converted);
  }
  return { requirements: known, ignored: known.length < all.length };
}

const labelOperators = tableOf<LabelOperator>({
  In: 'in',
  NotIn: 'notin',
  Exists: 'exists',
  DoesNotExist: '!',
});

function labelRequirement({
  key = '',
  operator = '',
  values,
}: SelectorRequirement): LabelRequirement | undefined {
  const known = labelOperators.get(operator);
  return known && { key, operator: known, values: values ?? [] };
}

const fieldOperators = tableOf<FieldRequirement['operator']>({
  In: '=',
  NotIn: '!=',
});

function fieldRequirement({
  key = '',
  operator = '',
  values,
}: SelectorRequirement): FieldRequirement | undefined {
  const known = fieldOperators.get(operator);
  const value = values?.[0];
  return known && value !== undefined && values?.length === 1
    ? { field: key, operator: known, value }
    : undefined;
}
