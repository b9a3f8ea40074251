import {
  type FieldError,
  fieldErrorText,
  type JsonObject,
  type KubeObject,
  type Passes,
} from '@annex/machinery';
import { expect, it } from 'vitest';
import { checkMutatingPolicy } from '../mutatingadmissionpolicies/validation.ts';
import { checkValidatingPolicy } from '../validatingadmissionpolicies/validation.ts';
import { checkWebhookConfiguration } from './webhooks.ts';

const five = <T>(of: (expression: string, i: number) => T): T[] =>
  ['true', 'true', '1 +', 'true', 'true'].map(of);
const conditions = five((expression, i) => ({ name: `c${i}`, expression }));
const applyConfiguration = { expression: 'Object{}' };

const cases: [
  name: string,
  check: (object: KubeObject) => Passes<FieldError[]>,
  object: JsonObject,
  at: string,
][] = [
  [
    'validations of a policy',
    checkValidatingPolicy,
    { spec: { validations: five((expression) => ({ expression })) } },
    'spec.validations[2].expression',
  ],
  [
    'variables of a policy',
    checkValidatingPolicy,
    { spec: { variables: five((expression, i) => ({ name: `v${i}`, expression })) } },
    'spec.variables[2].expression',
  ],
  [
    'match conditions of a mutating policy',
    checkMutatingPolicy,
    {
      spec: {
        matchConditions: conditions,
        mutations: [{ patchType: 'ApplyConfiguration', applyConfiguration }],
      },
    },
    'spec.matchConditions[2].expression',
  ],
  [
    'match conditions of a webhook',
    checkWebhookConfiguration,
    { webhooks: [{ name: 'a.b.c', matchConditions: conditions }] },
    'webhooks[0].matchConditions[2].expression',
  ],
];

it.each(cases)('the %s are compiled in passes of one expression', (_, check, object, at) => {
  const passes = check({ metadata: { name: 'p' }, ...object } as unknown as KubeObject);
  let count = 1;
  let pass = passes.next();
  for (; pass.done !== true; count++) pass = passes.next();
  expect(count).toBeGreaterThanOrEqual(6);
  expect(pass.value.map(fieldErrorText)).toContainEqual(
    expect.stringMatching(`^${at.replaceAll(/[[\].]/g, '\\$&')}: Invalid value: "1 \\+": compilation failed`),
  );
});
