import { compileMutation, compileVariables, type Mutation, type PolicySpec } from '@annex/admission';
import type { Environment } from '@annex/cel';
import {
  type FieldError,
  fieldErrors,
  getOwn,
  isObject,
  type KubeObject,
  type Passes,
} from '@annex/machinery';
import { all, type Check, childOf, each, fields, isMissing, oneOf, required } from '../../shared/checks.ts';
import { Expressions, filled } from '../shared/expressions.ts';
import { policyFields, validateMatchConstraints } from '../shared/policies.ts';
import { mutableOperations } from '../shared/rules.ts';

const { invalid } = fieldErrors;

const mutation =
  (environment: Environment, expressions: Expressions): Check =>
  (value, at) => {
    const { patchType, jsonPatch, applyConfiguration } = (isObject(value) ? value : {}) as Record<
      string,
      unknown
    >;
    if (isMissing(patchType)) return [fieldErrors.required(at.child('patchType'))];
    const kinds: Record<
      string,
      readonly [field: string, value: unknown, other: string, otherValue: unknown]
    > = {
      JSONPatch: ['jsonPatch', jsonPatch, 'applyConfiguration', applyConfiguration],
      ApplyConfiguration: ['applyConfiguration', applyConfiguration, 'jsonPatch', jsonPatch],
    };
    const found = getOwn(kinds, String(patchType));
    if (found === undefined)
      return [fieldErrors.notSupported(at.child('patchType'), patchType, Object.keys(kinds).sort())];
    const [field, own, other, otherValue] = found;
    const compiled = expressions.compiled(function* () {
      return (yield* compileMutation(environment, value as Mutation)).error;
    });
    const text = `when patchType is ${String(patchType)}`;
    return [
      ...(own === undefined ? [fieldErrors.required(at.child(field), `must be specified ${text}`)] : []),
      ...(otherValue === undefined
        ? []
        : [invalid(at.child(other), `{${other}}`, `must not be specified ${text}`)]),
      ...fields({ expression: filled('', compiled) })(own, at.child(field)),
    ];
  };

/** Checks a MutatingAdmissionPolicy. */
export function* checkMutatingPolicy(policy: KubeObject): Passes<FieldError[]> {
  const spec = childOf(policy, 'spec') as PolicySpec;
  const compiled = yield* compileVariables(spec);
  const expressions = new Expressions();
  const check = fields({
    spec: fields({
      ...policyFields(spec, compiled, expressions),
      matchConstraints: all(validateMatchConstraints, mutableOperations),
      mutations: required(
        each(mutation(compiled.mutationEnvironment, expressions)),
        'mutations must contain at least one item',
      ),
      reinvocationPolicy: required(oneOf('IfNeeded', 'Never')),
    }),
  });
  return yield* expressions.check(check, policy);
}
