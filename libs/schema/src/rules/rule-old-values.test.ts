import type { JsonObject, JsonValue } from '@annex/machinery';
import { describe, expect, it } from 'vitest';
import {
  integer,
  evaluateField,
  list,
  mapList,
  mapOf,
  objectOf,
  string,
  withRules,
} from './rules.fixture.ts';

const item = { k: string, n: withRules(integer, 'self >= oldSelf') };

describe('old values', () => {
  it.each<readonly [string, JsonObject, JsonValue, JsonValue | undefined, number]>([
    ['TRN-001 TRN-003 a new object has none', withRules(integer, 'self > oldSelf'), 1, undefined, 0],
    [
      'TRN-004 nor has a field that was not set',
      objectOf({ a: withRules(integer, 'self > oldSelf') }),
      { a: 1 },
      {},
      0,
    ],
    [
      'TRN-005 a rule of an ancestor can compare it',
      objectOf({ a: integer }, 'has(oldSelf.a) == has(self.a)'),
      {},
      { a: 1 },
      1,
    ],
    [
      'TRN-008 items of map lists are found by key',
      mapList('k', item),
      [
        { k: 'b', n: 1 },
        { k: 'a', n: 1 },
      ],
      [
        { k: 'a', n: 2 },
        { k: 'b', n: 1 },
      ],
      1,
    ],
    ['keys of maps', mapOf(withRules(integer, 'self > oldSelf')), { a: 1, b: 9 }, { a: 1 }, 1],
    [
      'OOS-003 a transition rule is not evaluated without an old value',
      withRules(integer, 'self == oldSelf'),
      2,
      undefined,
      0,
    ],
    [
      'OOS-004 unless that may be absent',
      withRules(integer, { rule: 'oldSelf.hasValue()', optionalOldSelf: true }),
      2,
      undefined,
      1,
    ],
    ['null was no value', withRules({ ...integer, nullable: true }, 'self > oldSelf'), 1, null, 0],
  ])('%s', (_name, schema, value, old, errors) => {
    expect(evaluateField(schema, value, old)).toHaveLength(errors);
  });

  it('an unchanged invalid value causes only a warning', () => {
    const schema = objectOf({ a: withRules(integer, 'self > 1'), b: integer });
    expect(evaluateField(schema, { a: 1, b: 2 }, { a: 1, b: 1 })).toEqual([
      '[x.a: Invalid value: 1: failed rule: self > 1]',
    ]);
    expect(evaluateField(schema, { a: 0, b: 2 }, { a: 1, b: 1 })).toEqual([
      'x.a: Invalid value: 0: failed rule: self > 1',
    ]);
  });

  it('errors while a rule runs and transitions are never let through', () => {
    const schema = objectOf({ m: mapOf(integer) }, "self.m['no'] > 0", 'oldSelf != self');
    expect(evaluateField(schema, { m: {} }, { m: {} })).toHaveLength(2);
  });

  it('an item of a list that changed is new', () => {
    const schema = list(withRules(integer, 'self > 1'));
    expect(evaluateField(schema, [1, 3], [1, 2])).toEqual(['x[0]: Invalid value: 1: failed rule: self > 1']);
    expect(evaluateField(schema, [1, 2], [1, 2])).toEqual([
      '[x[0]: Invalid value: 1: failed rule: self > 1]',
    ]);
  });
});
