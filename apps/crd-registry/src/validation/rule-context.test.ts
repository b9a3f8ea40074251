import { FieldPath, finish, fieldErrorText, type JsonObject } from '@annex/machinery';
import { describe, expect, it } from 'vitest';
import { RuleContext } from './rule-context.ts';
import { validateSchema } from './validate-schema.ts';

const rules = { knownTypes: true, atomicSetItems: true, requiredMapKeys: true };
const hint =
  '(try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)';

/** The errors of a root with a field `foo`, whose path is left out. */
function errorsOf(foo: JsonObject, limited = true): string[] {
  const schema = { type: 'object', properties: { foo } };
  const root = RuleContext.root(schema, limited);
  const errors = finish(validateSchema(schema, FieldPath.of('s'), rules, root));
  return errors.map((error) => fieldErrorText(error).replace('s.properties[foo]', '…'));
}

const ruled = (schema: JsonObject, rule: string, more: JsonObject = {}): JsonObject => ({
  ...schema,
  'x-kubernetes-validations': [{ rule, ...more }],
});

const contains = "self.all(x, x.contains('a string'))";
const integers = { type: 'array', items: { type: 'integer' } };

describe('estimated costs', () => {
  it.each<readonly [string, JsonObject, readonly string[]]>([
    ['COST-004 a rule of constant time', ruled({ type: 'integer' }, 'self == 1'), []],
    [
      'COST-001 COST-009 an unbounded list of strings',
      ruled({ type: 'array', items: { type: 'string' } }, contains),
      [
        // The limits: maxRuleCost, maxSchemaCost.
        `….x-kubernetes-validations[0].rule: Forbidden: estimated rule cost exceeds budget by factor of more than 100x ${hint}`,
        '….x-kubernetes-validations[0].rule: Forbidden: contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema',
        `s: Forbidden: x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema exceeds budget by factor of more than 100x ${hint}`,
      ],
    ],
    [
      'COST-011 with limits',
      ruled({ type: 'array', maxItems: 25, items: { type: 'string', maxLength: 10 } }, contains),
      [],
    ],
    [
      'COST-012 the same on the items',
      {
        type: 'array',
        maxItems: 25,
        items: ruled({ type: 'string', maxLength: 10 }, "self.contains('a string')"),
      },
      [],
    ],
    ['COST-013 an unbounded list of integers', ruled(integers, 'self.all(x, x == 5)'), []],
    [
      'COST-014 a list of lists of integers',
      { type: 'array', items: ruled(integers, 'self.all(x, x == 5)') },
      [
        `….items.x-kubernetes-validations[0].rule: Forbidden: estimated rule cost exceeds budget by factor of more than 100x ${hint}`,
        '….items.x-kubernetes-validations[0].rule: Forbidden: contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema',
        `s: Forbidden: x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema exceeds budget by factor of more than 100x ${hint}`,
      ],
    ],
    [
      'CELM-010 an expression for a message costs as well',
      ruled({ type: 'array', maxItems: 100, items: { type: 'string' } }, 'true', {
        messageExpression: "self.join(',')",
      }),
      [
        `….x-kubernetes-validations[0].messageExpression: Forbidden: estimated messageExpression cost exceeds budget by factor of 3.1x ${hint}`,
      ],
    ],
  ])('%s', (_name, foo, expected) => expect(errorsOf(foo)).toEqual(expected));

  it('an unchanged schema may keep its cost, up to the limit of all rules', () => {
    const foo = ruled(integers, 'self.all(x, self.all(y, x == y))', {});
    expect(errorsOf({ ...foo, maxItems: 2500 })).toEqual([
      `….x-kubernetes-validations[0].rule: Forbidden: estimated rule cost exceeds budget by factor of 3.1x ${hint}`,
    ]);
    expect(errorsOf({ ...foo, maxItems: 2500 }, false)).toEqual([]);
  });
});

describe('rules in their place', () => {
  const changed = { rule: 'self == oldSelf' };
  const within =
    'oldSelf cannot be used on the uncorrelatable portion of the schema within s.properties[foo]';

  it.each<readonly [string, JsonObject, readonly string[]]>([
    [
      'TRN-006 TRN-007 an item of an atomic list has no old value',
      { type: 'array', maxItems: 5, items: ruled({ type: 'integer' }, changed.rule) },
      [`….items.x-kubernetes-validations[0].rule: Invalid value: "self == oldSelf": ${within}`],
    ],
    [
      'TRN-008 an item of a map list has one',
      {
        type: 'array',
        maxItems: 5,
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['k'],
        items: ruled(
          { type: 'object', required: ['k'], properties: { k: { type: 'string', maxLength: 5 } } },
          'self.k == oldSelf.k',
        ),
      },
      [],
    ],
    [
      'G16 an optional old value that is not used',
      ruled({ type: 'integer' }, 'self > 1', { optionalOldSelf: true }),
      [
        '….x-kubernetes-validations[0].optionalOldSelf: Invalid value: true: may not be set if oldSelf is not used in rule',
      ],
    ],
    [
      'a value of unknown type',
      ruled({ 'x-kubernetes-preserve-unknown-fields': true }, 'true'),
      [
        '….x-kubernetes-validations: Internal error: internal error: failed to construct type information for x-kubernetes-validations rules: unable to convert structural schema to CEL declarations',
      ],
    ],
    [
      'rules are not checked if their schema has other errors',
      { type: 'object', uniqueItems: true, ...ruled({}, 'self.nope') },
      [
        '….uniqueItems: Forbidden: uniqueItems cannot be set to true since the runtime complexity becomes quadratic',
      ],
    ],
  ])('%s', (_name, foo, expected) => expect(errorsOf(foo)).toEqual(expected));
});
