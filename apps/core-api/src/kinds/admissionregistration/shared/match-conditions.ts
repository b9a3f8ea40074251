import { admissionEnvironment, types } from '@annex/cel';
import { fieldErrors, validateQualifiedName } from '@annex/machinery';
import { all, type Check, each, fields, objectsOf, required, text, unique } from '../../shared/checks.ts';
import { expressionOf, filled } from './expressions.ts';

/** Checks the conditions of webhooks and policies; those of policies with a paramKind may use params. */
export const validateMatchConditions = (params: boolean): Check => {
  const environment = admissionEnvironment({ params, authorizer: true });
  const expression: Check = (value, at) => expressionOf(environment, types.bool)(String(value).trim(), at);
  return all(
    (value, at) =>
      objectsOf(value).length > 64 ? [fieldErrors.tooMany(at, objectsOf(value).length, 64)] : [],
    each(fields({ expression: filled('', expression), name: required(text(validateQualifiedName)) })),
    unique('name'),
  );
};
