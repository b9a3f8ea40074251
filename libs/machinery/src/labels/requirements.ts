import { type FieldError, FieldPath, fieldErrors, fieldErrorsText } from '../field.ts';
import { validateLabelValue, validateQualifiedName } from '../names.ts';
import { finish, type Passes } from '../passes.ts';
import { integer, type LabelOperator, type LabelRequirement } from './label-selector.ts';

/** A selector that cannot be parsed; the message is kube-apiserver's. */
export class SelectorError extends Error {}

/** Creates a requirement, one of a single value without passes. Throws {@link SelectorError}. */
export function newRequirement(
  key: string,
  operator: LabelOperator,
  values: readonly string[],
): LabelRequirement {
  const isValid =
    values.length === 1 && equalities.has(operator) && validateLabelValue(values[0]!).length === 0;
  if (isValid && validateQualifiedName(key).length === 0) return { key, operator, values };
  return finish(newRequirementInPasses(key, operator, values));
}

/** The operators that accept any one value. */
const equalities: ReadonlySet<LabelOperator> = new Set(['=', '==', '!=', 'in', 'notin']);

/** How many values of a requirement one pass reads. */
export const valuesAtOnce = 1000;

/** The same, in passes if there are many values. */
export function* newRequirementInPasses(
  key: string,
  operator: LabelOperator,
  values: readonly string[],
): Passes<LabelRequirement> {
  const errors = [...keyErrors(key, FieldPath.of('key')), ...arityErrors(operator, values)];
  for (const [i, value] of values.entries()) {
    if (i % valuesAtOnce === valuesAtOnce - 1) yield;
    const found = validateLabelValue(value);
    if (found.length === 0) continue;
    errors.push(fieldErrors.invalid(FieldPath.of('values').index(i).key(key), value, found.join('; ')));
  }
  if (errors.length > 0) throw new SelectorError(fieldErrorsText(errors));
  return { key, operator, values };
}

/** The errors of a key, at this path. */
export function keyErrors(key: string, path: FieldPath): FieldError[] {
  const found = validateQualifiedName(key);
  return found.length === 0 ? [] : [fieldErrors.invalid(path, key, found.join('; '))];
}

function arityErrors(operator: LabelOperator, values: readonly string[]): FieldError[] {
  const path = FieldPath.of('values');
  const invalidValues = (why: string) => [fieldErrors.invalid(path, values, why)];
  switch (operator) {
    case 'in':
    case 'notin':
      return values.length > 0 ? [] : invalidValues("for 'in', 'notin' operators, values set can't be empty");
    case 'exists':
    case '!':
      return values.length === 0
        ? []
        : invalidValues('values set must be empty for exists and does not exist');
    case 'gt':
    case 'lt':
      return values
        .map((value, i) => ({ value, at: path.index(i) }))
        .filter(({ value }) => !isInt64(value))
        .map(({ value, at }) =>
          fieldErrors.invalid(at, value, "for 'Gt', 'Lt' operators, the value must be an integer"),
        );
    default:
      return [];
  }
}

const isInt64 = (text: string) => integer.test(text) && BigInt.asIntN(64, BigInt(text)) === BigInt(text);
