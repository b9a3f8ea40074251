import { compileExpression } from '@annex/admission';
import type { CelType, Environment } from '@annex/cel';
import { fieldErrors } from '@annex/machinery';
import type { Check } from '../../shared/checks.ts';

/** Requires a string with other characters than white space. */
export const filled =
  (why: string, check: Check): Check =>
  (value, at) =>
    typeof value === 'string' && value.trim() !== '' ? check(value, at) : [fieldErrors.required(at, why)];

/** Requires a CEL expression of one of the types. */
export const expressionOf =
  (environment: Environment, ...returns: CelType[]): Check =>
  (value, at) => {
    const { error } = compileExpression(environment, String(value), returns);
    return error === undefined ? [] : [fieldErrors.invalid(at, value, error)];
  };
