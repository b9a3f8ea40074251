import { compilePolicy, type PolicyExpressions, type PolicySpec } from '@annex/admission';
import { types } from '@annex/cel';
import { fieldErrors, finish, isObject, validateQualifiedName } from '@annex/machinery';
import {
  all,
  type Check,
  childOf,
  each,
  fields,
  isMissing,
  objectsOf,
  oneOf,
  text,
  unique,
} from '../../shared/checks.ts';
import { expressionOf, filled } from '../shared/expressions.ts';
import { policyFields } from '../shared/policies.ts';

const { invalid } = fieldErrors;

/** Requires other characters than white space, if the string is set. */
const notBlank =
  (check: Check): Check =>
  (value, at) => {
    if (typeof value !== 'string' || value === '') return [];
    return value.trim() === '' ? [invalid(at, value, 'must be non-empty if specified')] : check(value, at);
  };

const oneLine: Check = (value, at) =>
  /[\r\n]/.test(String(value).trim()) ? [invalid(at, value, 'must not contain line breaks')] : [];

const validation = ({ environment, plainEnvironment }: PolicyExpressions): Check =>
  fields({
    expression: filled('expression is not specified', expressionOf(environment, types.bool)),
    messageExpression: notBlank(expressionOf(plainEnvironment, types.string)),
    message: notBlank(oneLine),
    reason: oneOf('Forbidden', 'Invalid', 'RequestEntityTooLarge'),
  });

export const maxPolicyAnnotations = 20;

export const maxPolicyAnnotationExpressionBytes = 5 * 1024;

/** Audit annotations have keys with the name of the policy. */
const auditAnnotations = ({ environment }: PolicyExpressions, name: string | undefined): Check => {
  const key: Check = (value, at) =>
    name
      ? text(validateQualifiedName)(`${name}/${String(value ?? '')}`, at)
      : [invalid(at, value ?? '', 'requires metadata.name be non-empty')];
  const annotation = fields({
    key,
    valueExpression: filled('valueExpression is not specified', (value, at) =>
      Buffer.byteLength(String(value).trim()) > maxPolicyAnnotationExpressionBytes
        ? [fieldErrors.required(at, `must not exceed ${maxPolicyAnnotationExpressionBytes} bytes in length`)]
        : expressionOf(environment, types.string, types.null)(value, at),
    ),
  });
  return all(
    (value, at) =>
      objectsOf(value).length > maxPolicyAnnotations
        ? [invalid(at, value, `must not have more than ${maxPolicyAnnotations} auditAnnotations`)]
        : [],
    each(annotation),
    unique('key'),
  );
};

const oneIsNeeded = 'validations or auditAnnotations must contain at least one item';

/** Checks a ValidatingAdmissionPolicy. */
export const validateValidatingPolicy: Check = (object, at) => {
  const spec = childOf(object, 'spec') as PolicySpec;
  const compiled = finish(compilePolicy(spec));
  const { name } = childOf(object, 'metadata');
  return fields({
    spec: fields(
      {
        ...policyFields(spec, compiled),
        validations: each(validation(compiled)),
        auditAnnotations: auditAnnotations(compiled, typeof name === 'string' ? name : undefined),
      },
      (value, where) =>
        isObject(value) && isMissing(value.validations) && isMissing(value.auditAnnotations)
          ? ['validations', 'auditAnnotations'].map((field) =>
              fieldErrors.required(where.child(field), oneIsNeeded),
            )
          : [],
    ),
  })(object, at);
};
