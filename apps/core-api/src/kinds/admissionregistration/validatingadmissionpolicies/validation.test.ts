import { fieldErrorText, finish, type JsonObject, type KubeObject } from '@annex/machinery';
import { expect, it } from 'vitest';
import {
  checkValidatingPolicy,
  maxPolicyAnnotationExpressionBytes,
  maxPolicyAnnotations,
} from './validation.ts';

const match = { matchPolicy: 'Equivalent', namespaceSelector: {}, objectSelector: {} };
const rule = {
  operations: ['*'],
  apiGroups: [''],
  apiVersions: ['v1'],
  resources: ['configmaps'],
  scope: '*',
};

const refusals: [name: string, spec: JsonObject, text: string][] = [
  [
    'with an expression that does not compile',
    { validations: [{ expression: 'object.' }] },
    'spec.validations[0].expression: Invalid value: "object.": compilation failed: ERROR: <input>:1:8: Syntax error',
  ],
  [
    'with a validation that is no bool',
    { validations: [{ expression: '1' }] },
    'spec.validations[0].expression: Invalid value: "1": must evaluate to bool but got int',
  ],
  [
    'with a validation that is a list of durations',
    { validations: [{ expression: "[duration('1s')]" }] },
    `spec.validations[0].expression: Invalid value: "[duration('1s')]": must evaluate to bool but got list(google.protobuf.Duration)`,
  ],
  [
    'with a validation that is null',
    { validations: [{ expression: 'null' }] },
    'spec.validations[0].expression: Invalid value: "null": must evaluate to bool but got null_type',
  ],
  [
    'with a message that is no text',
    { validations: [{ expression: 'true', messageExpression: '1' }] },
    'spec.validations[0].messageExpression: Invalid value: "1": must evaluate to string but got int',
  ],
  [
    'with an annotation of another type',
    { auditAnnotations: [{ key: 'k', valueExpression: '1' }] },
    'spec.auditAnnotations[0].valueExpression: Invalid value: "1": must evaluate to one of [string null_type] but got int',
  ],
  [
    'with params and no paramKind',
    { validations: [{ expression: 'params == null' }] },
    "undeclared reference to 'params'",
  ],
  [
    'with a variable whose name is none',
    { variables: [{ name: 'true', expression: '1' }], validations: [{ expression: 'true' }] },
    'spec.variables[0].name: Invalid value: "true": must be a valid CEL identifier',
  ],
  [
    'with a variable before it is there',
    {
      variables: [
        { name: 'a', expression: 'variables.b' },
        { name: 'b', expression: '1' },
      ],
      validations: [{ expression: 'true' }],
    },
    "undefined field 'b'",
  ],
  [
    'with a condition that is no bool',
    { matchConditions: [{ name: 'c', expression: "'a'" }], validations: [{ expression: 'true' }] },
    `spec.matchConditions[0].expression: Invalid value: "'a'": must evaluate to bool but got string`,
  ],
];

const errorsOf = (spec: JsonObject): string[] => {
  const base = { failurePolicy: 'Fail', matchConstraints: { ...match, resourceRules: [rule] } };
  const policy = { metadata: { name: 'p' }, spec: { ...base, ...spec } } as unknown as KubeObject;
  return finish(checkValidatingPolicy(policy)).map(fieldErrorText);
};

it.each(refusals)('a policy is rejected %s', (_, spec, text) => {
  expect(errorsOf(spec)).toEqual([expect.stringContaining(text)]);
});

it('annotations of a policy without a key repeat the empty one', () => {
  const auditAnnotations: JsonObject[] = [{ valueExpression: "'a'" }, { key: '', valueExpression: "'a'" }];
  expect(errorsOf({ auditAnnotations })).toContain('spec.auditAnnotations[1].key: Duplicate value: ""');
});

it('a policy has at most maxPolicyAnnotations', () => {
  const annotations = (count: number) =>
    Array.from({ length: count }, (_, i) => ({ key: `k${i}`, valueExpression: "'a'" }));
  expect(errorsOf({ auditAnnotations: annotations(maxPolicyAnnotations) })).toEqual([]);
  expect(errorsOf({ auditAnnotations: annotations(maxPolicyAnnotations + 1) })).toEqual([
    expect.stringMatching(
      /^spec.auditAnnotations: Invalid value: .*: must not have more than 20 auditAnnotations$/,
    ),
  ]);
});

it('the expression of an annotation has at most maxPolicyAnnotationExpressionBytes', () => {
  const annotation = (bytes: number) => ({
    auditAnnotations: [{ key: 'k', valueExpression: `'${'a'.repeat(bytes - 2)}'` }],
  });
  expect(errorsOf(annotation(maxPolicyAnnotationExpressionBytes))).toEqual([]);
  expect(errorsOf(annotation(maxPolicyAnnotationExpressionBytes + 1))).toEqual([
    'spec.auditAnnotations[0].valueExpression: Required value: must not exceed 5120 bytes in length',
  ]);
});
