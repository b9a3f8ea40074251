import { fieldErrorText, finish, type JsonObject, type KubeObject } from '@annex/machinery';
import { expect, it } from 'vitest';
import { checkMutatingPolicy } from './validation.ts';

const match = { matchPolicy: 'Equivalent', namespaceSelector: {}, objectSelector: {} };
const rule = {
  operations: ['CREATE'],
  apiGroups: [''],
  apiVersions: ['v1'],
  resources: ['configmaps'],
  scope: '*',
};
const apply = (expression: string): JsonObject => ({
  patchType: 'ApplyConfiguration',
  applyConfiguration: { expression },
});
const jsonPatch = (expression: string): JsonObject => ({ patchType: 'JSONPatch', jsonPatch: { expression } });

const refusals: [name: string, mutation: JsonObject, text: string][] = [
  [
    'with a configuration of another type',
    apply("{'a': 'b'}"),
    "spec.mutations[0].applyConfiguration.expression: Invalid value: \"{'a': 'b'}\": must evaluate to Object but got map(string, string)",
  ],
  [
    'with a patch of another type',
    jsonPatch('[1]'),
    'spec.mutations[0].jsonPatch.expression: Invalid value: "[1]": must evaluate to list(JSONPatch) but got list(int)',
  ],
  [
    'with a patch that has another field',
    jsonPatch('[JSONPatch{foo: 1}]'),
    "compilation failed: ERROR: <input>:1:15: expected type of field 'foo' is '' but provided type is 'int'",
  ],
  [
    'with a variable that does not exist, also without variables',
    apply('variables.x'),
    "compilation failed: ERROR: <input>:1:10: undefined field 'x'",
  ],
  [
    'with an expression that does not compile',
    apply('Object{'),
    'compilation failed: ERROR: <input>:1:8: Syntax error',
  ],
];

it.each(refusals)('a policy is rejected %s', (_, mutation, text) => {
  const spec = {
    failurePolicy: 'Fail',
    reinvocationPolicy: 'Never',
    matchConstraints: { ...match, resourceRules: [rule] },
    mutations: [mutation],
  };
  const policy = { metadata: { name: 'p' }, spec } as unknown as KubeObject;
  const errors = finish(checkMutatingPolicy(policy));
  expect(errors.map(fieldErrorText)).toEqual([expect.stringContaining(text)]);
});
