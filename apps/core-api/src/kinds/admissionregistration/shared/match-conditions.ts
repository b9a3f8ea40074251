import { admissionEnvironment, types } from '@annex/cel';
import { fieldErrors, validateQualifiedName } from '@annex/machinery';
import { all, type Check, each, fields, objectsOf, required, text, unique } from '../../shared/checks.ts';
import { type Expressions, filled } from './expressions.ts';

/** Checks the conditions of webhooks and policies; those of policies with a paramKind may use params. */
export const validateMatchConditions = (params: boolean, expressions: Expressions): Check => {
  const environment = admissionEnvironment({ params, authorizer: true });
  const condition = expressions.of(environment, types.bool);
  const expression: Check = (value, at) => condition(String(value).trim(), at);
  return all(
    (value, at) =>
      objectsOf(value).length > 64 ? [fieldErrors.tooMany(at, objectsOf(value).length, 64)] : [],
    each(fields({ expression: filled('', expression), name: required(text(validateQualifiedName)) })),
    unique('name'),
  );
};
