import { compileExpression } from '@annex/admission';
import type { CelType, Environment } from '@annex/cel';
import { fieldErrors } from '@annex/machinery';
import type { Check } from '../../shared/checks.ts';

/** Demands a text of more than white space. */
export const filled =
  (why: string, check: Check): Check =>
  (value, at) =>
    typeof value === 'string' && value.trim() !== '' ? check(value, at) : [fieldErrors.required(at, why)];

/** Demands an expression of CEL that is of one of the types. */
export const expressionOf =
  (environment: Environment, ...returns: CelType[]): Check =>
  (value, at) => {
    const { error } = compileExpression(environment, String(value), returns);
    return error === undefined ? [] : [fieldErrors.invalid(at, value, error)];
  };
