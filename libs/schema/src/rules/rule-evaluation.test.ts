import type { JsonObject, JsonValue } from '@annex/machinery';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { structuralNode } from '../structural/structural-node.ts';
import { evaluateRules, maxRuleMessageBytes, maxRuleWarningsLength } from './rule-evaluation.ts';
import { compileRuleTree } from './rule-tree.ts';
import {
  compileErrorOf,
  integer,
  evaluateField,
  list,
  mapList,
  mapOf,
  objectOf,
  string,
  withRules,
} from './rules.fixture.ts';

const nullable = { type: 'string', nullable: true };

/** Valid rules that show the value of `self`. */
const holding: readonly (readonly [name: string, schema: JsonObject, value: JsonValue])[] = [
  ['CELS-002 a field is there', objectOf({ foo: integer }, 'has(self.foo)', 'self.foo == 1'), { foo: 1 }],
  ['CELS-003 null is as good as absent', objectOf({ foo: nullable }, '!has(self.foo)'), { foo: null }],
  [
    'CELS-005 a list',
    withRules(list(integer), 'size(self) == 1', 'self[0] == 7', 'self.exists(x, x > 6)'),
    [7],
  ],
  ['CELS-006 a scalar', withRules(integer, 'self > 0'), 1],
  [
    'CELS-015 sets have no order',
    objectOf({ a: setOf(integer), b: setOf(integer) }, 'self.a == self.b'),
    { a: [1, 2], b: [2, 1] },
  ],
  [
    'CELS-016 sets unite',
    objectOf(
      { a: setOf(integer), b: setOf(integer) },
      'size(self.a + self.b) == 3',
      '(self.a + self.b)[2] == 3',
    ),
    { a: [1, 2], b: [2, 3] },
  ],
  [
    'CELS-017 map lists merge by key',
    objectOf(
      { m: mapOf(mapList('k', { k: string, v: integer })) },
      'size(self.m.a + self.m.b) == 3',
      '(self.m.a + self.m.b)[1].v == 9',
    ),
    {
      m: {
        a: [
          { k: 'a', v: 1 },
          { k: 'b', v: 2 },
        ],
        b: [
          { k: 'c', v: 3 },
          { k: 'b', v: 9 },
        ],
      },
    },
  ],
  ['CELS-019 a map', withRules(mapOf(integer), "'k' in self", "self['k'] == 1", 'self.k == 1'), { k: 1 }],
  ['CELS-026 a boolean', withRules({ type: 'boolean' }, 'self == true'), true],
  [
    'CELS-027 a number that looks like an integer',
    withRules({ type: 'number' }, 'type(self) == double', 'self / 2.0 == 0.5'),
    1,
  ],
  [
    'CELS-028 an integer beyond the safe ones',
    withRules(integer, 'self == 9007199254740993', 'self % 2 == 1'),
    9007199254740993n,
  ],
  [
    'CELS-031 bytes',
    withRules({ type: 'string', format: 'byte' }, 'size(self) == 3', "self == b'abc'"),
    'YWJj',
  ],
  [
    'CELS-032 a day',
    withRules({ type: 'string', format: 'date' }, "self < timestamp('2030-01-01T00:00:00Z')"),
    '2024-02-29',
  ],
  [
    'CELS-033 an instant',
    withRules({ type: 'string', format: 'date-time' }, 'self.getHours() == 21'),
    '2024-02-29T23:30:00+02:00',
  ],
  [
    'CELS-034 a span',
    withRules({ type: 'string', format: 'duration' }, "self < duration('2h')"),
    '3 minutes',
  ],
  [
    'JavaScript keywords are ordinary fields',
    objectOf({ __proto__: integer, constructor: integer }, 'self.constructor == 2'),
    { constructor: 2 },
  ],
  [
    'nulls in a list of nullable items',
    withRules(list(nullable), 'self.exists(x, dyn(x) == null)'),
    ['a', null],
  ],
  ['null is not evaluated', withRules({ ...nullable }, 'false'), null],
];

function setOf(items: JsonObject): JsonObject {
  return list(items, { 'x-kubernetes-list-type': 'set' });
}

describe('values of rules', () => {
  it.each(holding)('%s', (_name, schema, value) => {
    expect(compileErrorOf(schema)).toBeUndefined();
    expect(evaluateField(schema, value)).toEqual([]);
  });

  it.each([
    ['CELS-008 other metadata', objectOf({}, 'self.metadata.labels == 1'), "undefined field 'metadata'"],
    [
      'CELS-009 what is kept without a schema',
      withRules(
        { type: 'object', 'x-kubernetes-preserve-unknown-fields': true, properties: {} },
        'self.x == 1',
      ),
      "undefined field 'x'",
    ],
    [
      'CELS-010 a property of unknown type',
      objectOf({ u: { 'x-kubernetes-preserve-unknown-fields': true } }, 'self.u == 1'),
      "undefined field 'u'",
    ],
    [
      'CELS-011 a list of unknown items',
      objectOf({ u: list({ 'x-kubernetes-preserve-unknown-fields': true }) }, 'self.u == []'),
      "undefined field 'u'",
    ],
    [
      'CELS-012 a map of unknown values',
      objectOf({ u: mapOf({ 'x-kubernetes-preserve-unknown-fields': true }) }, 'self.u == {}'),
      "undefined field 'u'",
    ],
    ['CELS-018 a field that there is not', objectOf({ a: integer }, 'self.b == 1'), "undefined field 'b'"],
    [
      'OOS-005 an old value that may be absent is no value',
      withRules(string, { rule: 'oldSelf == self', optionalOldSelf: true }),
      "found no matching overload for '_==_' applied to '(optional_type(string), string)'",
    ],
    ['a rule returns a bool', withRules(string, 'self'), 'cel expression must evaluate to a bool'],
    [
      'CELM-003 texts and numbers are not added',
      withRules(integer, { rule: 'true', messageExpression: '"a" + self' }),
      "found no matching overload for '_+_' applied to '(string, int)'",
    ],
    [
      'CELM-004 a message is a text',
      withRules(integer, { rule: 'true', messageExpression: '1' }),
      'messageExpression must evaluate to a string',
    ],
  ])('%s: does not compile', (_name, schema, message) => {
    expect(compileErrorOf(schema)).toContain(message);
  });
});

const failing = (more: JsonObject = {}, rule = 'false') => ({ rule, ...more });

describe('errors of rules', () => {
  it.each([
    [
      'without a message the rule is shown',
      withRules(integer, 'self > 1'),
      1,
      'x: Invalid value: 1: failed rule: self > 1',
    ],
    [
      'CELM-013 a message is shown as it is',
      withRules(integer, failing({ message: ' {{x}} ' })),
      1,
      'x: Invalid value: 1: {{x}}',
    ],
    ['objects and lists are not shown', objectOf({}, 'false'), {}, 'x: Invalid value: failed rule: false'],
    [
      'CELM-001 CELM-002 a message is computed',
      objectOf(
        { a: integer, max: integer },
        {
          rule: 'self.a <= self.max',
          messageExpression: '"a exceeded max limit of " + string(self.max)',
        },
      ),
      { a: 11, max: 10 },
      'x: Invalid value: a exceeded max limit of 10',
    ],
    [
      'CELM-005 a computed message comes first',
      withRules(integer, failing({ message: 'fixed', messageExpression: "'made'" })),
      1,
      'x: Invalid value: 1: made',
    ],
    [
      'CELM-006 an expression that fails makes no message',
      objectOf({ m: mapOf(string) }, failing({ message: 'fixed', messageExpression: "self.m['no']" })),
      { m: {} },
      'x: Invalid value: fixed',
    ],
    [
      'CELM-007 nor does an empty text',
      withRules(integer, failing({ message: 'fixed', messageExpression: "' '" })),
      1,
      'x: Invalid value: 1: fixed',
    ],
    [
      'CELM-008 nor one with a line break',
      withRules(integer, failing({ message: 'fixed', messageExpression: "'a\\nb'" })),
      1,
      'x: Invalid value: 1: fixed',
    ],
    [
      'CELM-009 without a message the rule is shown then',
      withRules(integer, failing({ messageExpression: "''" })),
      1,
      'x: Invalid value: 1: failed rule: false',
    ],
    [
      'CELM-018 CELM-015 forbidden',
      withRules(integer, failing({ reason: 'FieldValueForbidden' })),
      1,
      'x: Forbidden: failed rule: false',
    ],
    [
      'CELM-019 required',
      withRules(integer, failing({ reason: 'FieldValueRequired' })),
      1,
      'x: Required value: failed rule: false',
    ],
    [
      'CELM-020 duplicate',
      withRules(integer, failing({ reason: 'FieldValueDuplicate' })),
      1,
      'x: Duplicate value: 1',
    ],
    [
      'CELM-017 invalid',
      withRules(integer, failing({ reason: 'FieldValueInvalid' })),
      1,
      'x: Invalid value: 1: failed rule: false',
    ],
    [
      'CELM-021 an unknown reason is as none',
      withRules(integer, failing({ reason: 'Odd' })),
      1,
      'x: Invalid value: 1: failed rule: false',
    ],
    [
      'CELM-023 another field',
      objectOf(
        { foo: objectOf({ test: objectOf({ y: integer }) }, 'true') },
        failing({ fieldPath: '.foo.test.y' }),
      ),
      {},
      'x.foo.test.y: Invalid value: failed rule: false',
    ],
    [
      'CELM-027 a key of a map',
      objectOf({ testMap: mapOf(integer) }, failing({ fieldPath: ".testMap['foo']" })),
      {},
      'x.testMap[foo]: Invalid value: failed rule: false',
    ],
    [
      'a key that is missing',
      objectOf({ m: mapOf(integer) }, "self.m['no'] == 1"),
      { m: {} },
      `x: Invalid value: "object": no such key: no evaluating rule: self.m['no'] == 1`,
    ],
    [
      'operands that do not fit',
      withRules({ 'x-kubernetes-int-or-string': true }, 'self > 1'),
      'a',
      `x: Invalid value: "": 'no such overload': call arguments did not match a supported operator, function or macro signature for rule: self > 1`,
    ],
  ])('%s', (_name, schema, value, expected) => {
    expect(evaluateField(schema as JsonObject, value)).toEqual([expected]);
  });

  it('errors have the path of their value; parents precede children', () => {
    const schema = objectOf(
      { l: list(withRules(integer, 'self > 0')), m: mapOf(withRules(integer, 'self > 0')) },
      'false',
    );
    expect(evaluateField(schema, { l: [1, 0], m: { a: 0 } })).toEqual([
      'x: Invalid value: failed rule: false',
      'x.l[1]: Invalid value: 0: failed rule: self > 0',
      'x.m[a]: Invalid value: 0: failed rule: self > 0',
    ]);
  });

  // The limit: maxCallCost.
  it('COST-002 CELM-011 a call that costs too much ends the evaluation of all rules', () => {
    const expensive = 'self.all(a, self.all(b, self.all(c, a + b + c >= 0)))';
    const schema = withRules(list(integer), expensive, 'false');
    const numbers = Array.from({ length: 300 }, (_, i) => i);
    expect(evaluateField(schema, numbers)).toEqual([
      `x: Invalid value: "array": 'operation cancelled: actual cost limit exceeded': no further validation rules will be run due to call cost exceeds limit for rule: ${expensive}`,
    ]);
  });

  // The limit: maxObjectCost.
  it('COST-002 all rules of an object have one budget', () => {
    const schema = list(withRules(integer, 'lists.range(1000).all(i, i >= self - 1)'));
    const found = evaluateField(
      schema,
      Array.from({ length: 3000 }, () => 1),
    );
    expect(found).toEqual([
      expect.stringMatching(
        /^x\[\d+\]: Invalid value: "integer": validation failed due to running out of cost budget, no further validation rules will be run$/,
      ),
    ]);
  });
});

it('a message longer than maxRuleMessageBytes is not used', () => {
  const rule = (bytes: number) => ({ rule: 'false', messageExpression: `"${'x'.repeat(bytes)}"` });
  const within = withRules(integer, rule(maxRuleMessageBytes));
  expect(evaluateField(within, 1)).toEqual([`x: Invalid value: 1: ${'x'.repeat(5120)}`]);
  const beyond = withRules(integer, rule(maxRuleMessageBytes + 1));
  expect(evaluateField(beyond, 1)).toEqual(['x: Invalid value: 1: failed rule: false']);
});

it('warnings beyond maxRuleWarningsLength are not kept', () => {
  const rules = Array.from({ length: 20 }, (_, i) => `self == 'a${i}'`);
  const value = 'x'.repeat(maxRuleWarningsLength / 4);
  expect(evaluateField(withRules(string, ...rules), value, value)).toHaveLength(4);
});

it('an optional old object is its JSON, without its schema', () => {
  const same = { rule: '!oldSelf.hasValue() || self == oldSelf.value()', optionalOldSelf: true };
  const set = withRules(setOf(string), same);
  expect(evaluateField(set, ['b', 'a'], ['a', 'b'])).toEqual([]);
  const reversed = { rule: '!oldSelf.hasValue() || oldSelf.value() == self', optionalOldSelf: true };
  expect(evaluateField(withRules(setOf(string), reversed), ['b', 'a'], ['a', 'b'])).toHaveLength(1);
  const open = { ...objectOf({ x: string }, same), 'x-kubernetes-preserve-unknown-fields': true };
  expect(evaluateField(open, { x: '1' }, { x: '1' })).toEqual([]);
  expect(evaluateField(open, { x: '1', u: 1 }, { x: '1', u: 1 })).toEqual([
    expect.stringContaining('no such overload'),
  ]);
});

it('a rule and a message that take long are evaluated in slices', () => {
  const pairs = 'self.all(i, self.all(j, i + j >= 0))';
  const message = (text: string) => ({
    rule: `!${pairs}`,
    messageExpression: `${pairs} ? '${text}' : 'none'`,
  });
  const schema = {
    type: 'object',
    properties: { x: withRules(list(integer), pairs, message('a'), message('b')) },
  };
  const found = evaluateRules(compileRuleTree(structuralNode(schema), true)!, {
    x: Array.from({ length: 250 }, (_, i) => i),
  });
  let slices = 1;
  while (!found.proceed()) slices++;
  expect(found.errors.map(({ detail }) => detail)).toEqual(['a', 'b']);
  expect(slices).toBeGreaterThan(5);
});

it('the keys of long old lists are read in slices', () => {
  // Each look at the clock ends a slice.
  let now = 0;
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => (now += 1000));
  onTestFinished(() => clock.mockRestore());
  const schema = {
    type: 'object',
    properties: { x: mapList('k', { k: string, n: withRules(integer, 'self >= 0') }) },
  };
  const tree = compileRuleTree(structuralNode(schema), true)!;
  const x = Array.from({ length: 10_000 }, (_, i) => ({ k: `k${i}`, n: i }));
  const slicesWith = (old?: JsonObject): number => {
    const found = evaluateRules(tree, { x }, old);
    let slices = 1;
    while (!found.proceed()) slices++;
    return slices;
  };
  expect(slicesWith({ x })).toBeGreaterThan(slicesWith() + 15);
});
