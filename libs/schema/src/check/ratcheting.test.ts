import { type JsonObject, fieldErrorText } from '@annex/machinery';
import { describe, expect, it } from 'vitest';
import { compileStructural } from '../structural/structural.ts';

const compiled = compileStructural({
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: {
        name: { type: 'string', pattern: '^ok' },
        size: { type: 'integer', maximum: 5 },
        extra: { type: 'string' },
        need: { type: 'object', properties: { b: { type: 'string' } }, required: ['a'] },
        atomic: { type: 'array', items: { type: 'integer', maximum: 2 } },
        set: { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' },
        any: {
          type: 'object',
          properties: { v: { type: 'integer', maximum: 5 } },
          anyOf: [{ required: ['w'] }],
        },
        kept: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true, maxProperties: 1 },
        list: {
          type: 'array',
          items: {
            type: 'object',
            properties: { id: { type: 'string' }, v: { type: 'integer', maximum: 2 } },
          },
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['id'],
        },
      },
    },
    status: { type: 'object', properties: { count: { type: 'integer', maximum: 5 } } },
  },
});

const size = (value: number) =>
  `spec.size: Invalid value: ${value}: spec.size in body should be less than or equal to 5`;
const item = (path: string, value: number) =>
  `${path}: Invalid value: ${value}: ${path} in body should be less than or equal to 2`;
const anyOf = '<nil>: Invalid value: "": "spec.any" must validate at least one schema (anyOf)';

describe('an update is validated only for changed values', () => {
  it.each<[name: string, old: JsonObject, spec: JsonObject, errors: string[]]>([
    [
      'RAT-002 RAT-005 unchanged errors are let through',
      { size: 9, name: 'bad' },
      { size: 9, name: 'bad', extra: 'x' },
      [],
    ],
    ['RAT-003 changed ones are not', { size: 9 }, { size: 8 }, [size(8)]],
    ['RAT-004 new ones are not', { size: 1 }, { size: 8 }, [size(8)]],
    ['one is fixed and the other let through', { size: 9, name: 'bad' }, { size: 9, name: 'okay' }, []],
    [
      'RAT-016 a missing field is let through while its object is unchanged',
      { need: {} },
      { need: {}, extra: 'x' },
      [],
    ],
    [
      'RAT-016 and not when that changes',
      { need: {} },
      { need: { b: 'x' } },
      ['spec.need.a: Required value'],
    ],
    [
      'RAT-008 junctors are let through while their value is unchanged',
      { any: { v: 1 } },
      { any: { v: 1 }, extra: 'x' },
      [],
    ],
    [
      'RAT-008 and not when that changes',
      { any: { v: 9 } },
      { any: { v: 9, x: 1 } },
      [anyOf, 'spec.any.w: Required value'],
    ],
    [
      'items of map lists correspond by key',
      {
        list: [
          { id: 'a', v: 8 },
          { id: 'b', v: 1 },
        ],
      },
      {
        list: [
          { id: 'z', v: 1 },
          { id: 'a', v: 8 },
        ],
      },
      [],
    ],
    [
      'and new items to none',
      { list: [{ id: 'a', v: 8 }] },
      {
        list: [
          { id: 'a', v: 8 },
          { id: 'y', v: 8 },
        ],
      },
      [item('spec.list[1].v', 8)],
    ],
    ['items of other lists to none', { atomic: [9] }, { atomic: [9, 1] }, [item('spec.atomic[0]', 9)]],
    ['but the list as a whole does', { atomic: [9] }, { atomic: [9], extra: 'x' }, []],
    [
      'RAT-014 duplicates are not looked at where there were some',
      { set: ['a', 'a'] },
      { set: ['a', 'a', 'b', 'b'] },
      [],
    ],
    [
      'duplicates are new if there were none',
      { set: ['a'] },
      { set: ['a', 'a'] },
      ['spec.set[1]: Duplicate value: "a"'],
    ],
    [
      'fields without a schema never count as unchanged',
      { kept: { a: 1, b: 2 } },
      { kept: { a: 1, b: 2 } },
      ['spec.kept: Too many: 2: must have at most 1 item'],
    ],
  ])('%s', (_, old, spec, errors) => {
    expect(compiled.validate({ spec }, { spec: old }).map(fieldErrorText)).toEqual(errors);
  });
});

describe('a write to the status', () => {
  const object = (count: number, name = 'bad'): JsonObject => ({ spec: { name }, status: { count } });
  const tooMany = 'status.count: Invalid value: 9: count in body should be less than or equal to 5';

  it('is held to the schema of the status only', () => {
    expect(compiled.validateStatus(object(9)).map(fieldErrorText)).toEqual([tooMany]);
    expect(compiled.validateStatus({ spec: { name: 'bad' } })).toEqual([]);
  });

  it('is validated only for changed values', () => {
    expect(compiled.validateStatus(object(9), object(9, 'x'))).toEqual([]);
    expect(compiled.validateStatus(object(9), object(1)).map(fieldErrorText)).toEqual([tooMany]);
  });
});
