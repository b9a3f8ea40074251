import { compileVariables, type PolicySpec, type PolicyVariables } from '@annex/admission';
import { types } from '@annex/cel';
import {
  type FieldError,
  fieldErrors,
  isObject,
  type KubeObject,
  type Passes,
  validateQualifiedName,
} from '@annex/machinery';
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
  uniqueOrEmpty,
} from '../../shared/checks.ts';
import { Expressions, filled } from '../shared/expressions.ts';
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

const validation = ({ environment, plainEnvironment }: PolicyVariables, expressions: Expressions): Check =>
  fields({
    expression: filled('expression is not specified', expressions.of(environment, types.bool)),
    messageExpression: notBlank(expressions.of(plainEnvironment, types.string)),
    message: notBlank(oneLine),
    reason: oneOf('Forbidden', 'Invalid', 'RequestEntityTooLarge'),
  });

export const maxPolicyAnnotations = 20;

export const maxPolicyAnnotationExpressionBytes = 5 * 1024;

/** Audit annotations have keys with the name of the policy. */
const auditAnnotations = (
  { environment }: PolicyVariables,
  expressions: Expressions,
  name: string | undefined,
): Check => {
  const expression = expressions.of(environment, types.string, types.null);
  const key: Check = (value, at) =>
    name
      ? text(validateQualifiedName)(`${name}/${String(value ?? '')}`, at)
      : [invalid(at, value ?? '', 'requires metadata.name be non-empty')];
  const annotation = fields({
    key,
    valueExpression: filled('valueExpression is not specified', (value, at) =>
      Buffer.byteLength(String(value).trim()) > maxPolicyAnnotationExpressionBytes
        ? [fieldErrors.required(at, `must not exceed ${maxPolicyAnnotationExpressionBytes} bytes in length`)]
        : expression(value, at),
    ),
  });
  return all(
    (value, at) =>
      objectsOf(value).length > maxPolicyAnnotations
        ? [invalid(at, value, `must not have more than ${maxPolicyAnnotations} auditAnnotations`)]
        : [],
    each(annotation),
    uniqueOrEmpty('key'),
  );
};

const oneIsNeeded = 'validations or auditAnnotations must contain at least one item';

/** Checks a ValidatingAdmissionPolicy. */
export function* checkValidatingPolicy(policy: KubeObject): Passes<FieldError[]> {
  const spec = childOf(policy, 'spec') as PolicySpec;
  const compiled = yield* compileVariables(spec);
  const expressions = new Expressions();
  const { name } = policy.metadata;
  const check = fields({
    spec: fields(
      {
        ...policyFields(spec, compiled, expressions),
        validations: each(validation(compiled, expressions)),
        auditAnnotations: auditAnnotations(compiled, expressions, name),
      },
      (value, where) =>
        isObject(value) && isMissing(value.validations) && isMissing(value.auditAnnotations)
          ? ['validations', 'auditAnnotations'].map((field) =>
              fieldErrors.required(where.child(field), oneIsNeeded),
            )
          : [],
    ),
  });
  return yield* expressions.check(check, policy);
}
