import { finish } from '@annex/machinery';
import { expect, it } from 'vitest';
import type { ValidatingPolicySpec } from './policy-spec.ts';
import { compileValidatingPolicy, evaluatePolicy } from './validating-policy.ts';

/** Costs about half a million units. */
const each = (inner: string, times = 5): string =>
  times === 0 ? inner : each(`'0123456789'.split('').all(x, ${inner})`, times - 1);

const passes = (spec: Partial<ValidatingPolicySpec>) => {
  const evaluation = evaluatePolicy(finish(compileValidatingPolicy({ ...spec } as ValidatingPolicySpec)), {
    object: { a: 'b' },
  });
  for (let count = 0; ; count++) {
    const { done, value } = evaluation.next();
    if (done === true) return { count, denials: value.denials, annotations: value.annotations };
  }
};

it.each<[name: string, spec: Partial<ValidatingPolicySpec>, denials: object[], annotations?: object[]]>([
  ['a validation', { validations: [{ expression: each("x != 'a'") }] }, []],
  [
    'a condition',
    {
      matchConditions: [{ name: 'c', expression: each('x != object.a') }],
      validations: [{ expression: 'false' }],
    },
    [{ index: 0, message: 'failed expression: false', reason: 'Invalid' }],
  ],
  [
    'a variable that another variable and a fold use',
    {
      variables: [
        { name: 'long', expression: each("x != 'a'") },
        { name: 'other', expression: "variables.long ? object.a : 'none'" },
      ],
      validations: [{ expression: "['a', 'b'].all(i, variables.other == i || variables.long)" }],
      auditAnnotations: [{ key: 'k', valueExpression: 'string(variables.other)' }],
    },
    [],
    [{ key: 'k', value: 'b' }],
  ],
  [
    'a variable that exceeds the limit of an expression',
    {
      variables: [{ name: 'long', expression: each("x != 'a'", 6) }],
      validations: [{ expression: 'variables.long' }],
    },
    [
      {
        index: 0,
        message:
          'expression \'variables.long\' resulted in error: composited variable "long" fails to evaluate: operation cancelled: actual cost limit exceeded',
      },
    ],
  ],
  [
    'a message',
    { validations: [{ expression: 'false', messageExpression: `${each("x != 'a'")} ? 'yes' : 'no'` }] },
    [{ index: 0, message: 'yes', reason: 'Invalid' }],
  ],
])('%s that takes long is evaluated in passes', (_name, spec, denials, annotations = []) => {
  const { count, ...result } = passes(spec);
  expect(result).toEqual({ denials, annotations });
  expect(count).toBeGreaterThan(1);
});

it('short expressions are evaluated at once', () => {
  const validations = [
    { expression: "object.a == 'b'" },
    { expression: "['a', 'b'].exists(x, x == object.a)" },
  ];
  expect(passes({ validations })).toEqual({ count: 0, denials: [], annotations: [] });
});

it('a policy is compiled in passes, one expression after the other', () => {
  const variables = [
    { name: 'a', expression: 'object.a' },
    { name: 'b', expression: 'variables.a' },
  ];
  const validations = [{ expression: "variables.b == 'b'" }, { expression: "variables.a == 'c'" }];
  const compilation = compileValidatingPolicy({ variables, validations } as unknown as ValidatingPolicySpec);
  expect([...compilation]).toHaveLength(4);
});
