import { finish, type JsonObject, type JsonValue, type Passes, setOwn } from '@annex/machinery';
import { expect, it } from 'vitest';
import {
  fieldSetFromJson,
  fieldSetToJson,
  fieldSetToJsonInPasses,
} from '../managed-fields/field-set-json.ts';
import { compareTyped, compareTypedInPasses } from './typed-compare.ts';
import { allFields } from './typed-all-fields.ts';
import { toFieldSet, toFieldSetInPasses } from './typed-field-set.ts';
import { mergeTyped, mergeTypedInPasses } from './typed-merge.ts';
import { objectMergeType } from './typed-schema.ts';
import { toySchema } from './typed-testdata.ts';
import { validateTyped, validateTypedInPasses } from './typed-validate.ts';
import type { TypedError } from './typed-value.ts';

const type = objectMergeType(toySchema);
const count = 1500;
const list = <T>(of: (i: number) => T, length = count): T[] => Array.from({ length }, (_, i) => of(i));
const members = (of: (i: number) => JsonValue): JsonObject =>
  Object.fromEntries(list((i) => [`k${i}`, of(i)]));
const items = (v: (i: number) => string, length = count) => list((i) => ({ name: `n${i}`, v: v(i) }), length);

/** Runs the work; returns its result, and whether it paused at least twice. */
function run<T>(passes: Passes<T>): { result: T; isDivided: boolean } {
  for (let pauses = 0; ; pauses++) {
    const { done, value } = passes.next();
    if (done === true) return { result: value, isDivided: pauses >= 2 };
  }
}

const lines = (set: object): number => String(set).split('\n').filter(Boolean).length;

const large: { what: string; old: JsonValue; updated: JsonValue; differences: number[] }[] = [
  {
    what: 'list items that change, and those that are added and removed',
    old: { map: items(() => 'a') },
    updated: { map: items((i) => (i % 2 === 0 ? 'a' : 'b'), count + 10).slice(20) },
    // A whole item has three paths: itself and its two fields.
    differences: [60, 740, 30],
  },
  {
    what: 'items of a set',
    old: { set: list((i) => `a${i}`) },
    updated: { set: list((i) => `a${i + 5}`) },
    differences: [5, 0, 5],
  },
  {
    what: 'values of a map',
    old: { free: members(() => 'a') },
    updated: { free: { ...members((i) => (i < 7 ? 'b' : 'a')), more: 'x' } },
    differences: [0, 7, 1],
  },
  {
    what: 'a large field that is added',
    old: { size: 1 },
    updated: { size: 1, map: items(() => 'a') },
    differences: [0, 0, 4501],
  },
  {
    what: 'fields without a schema, nested',
    old: { any: {} },
    updated: { any: members((i) => ({ a: { b: i } })) },
    differences: [0, 0, 4500],
  },
];

it.each(large)('compares in passes: $what', ({ old, updated, differences }) => {
  const { result, isDivided } = run(compareTypedInPasses({ spec: old }, { spec: updated }, type));
  const { removed, modified, added } = result;
  expect([[removed, modified, added].map(lines), isDivided]).toEqual([differences, true]);
  const back = compareTyped({ spec: updated }, { spec: old }, type);
  expect([lines(back.added), lines(back.removed)]).toEqual([differences[0], differences[2]]);
});

// A field that only one side has is taken over at once.
const common = large.slice(0, 3);

it.each(common)('merges in passes what it merges at once: $what', ({ old, updated }) => {
  const sides = [{ spec: old }, { spec: updated }, type] as const;
  const { result, isDivided } = run(mergeTypedInPasses(...sides));
  expect([result, isDivided]).toEqual([mergeTyped(...sides), true]);
});

it('returns the live value of a merge that changes nothing', () => {
  const live = { spec: { map: items(() => 'a'), free: members(() => 'a') } };
  expect(finish(mergeTypedInPasses(live, structuredClone(live), type))).toBe(live);
});

it.each(large)('collects the fields in passes: $what', ({ old, updated }) => {
  for (const spec of [old, updated, { set: ['a', 'a', ...list((i) => `b${i}`)], any: null }]) {
    const { result, isDivided } = run(toFieldSetInPasses({ spec }, type));
    expect(String(result)).toBe(String(toFieldSet({ spec }, type)));
    expect(isDivided).toBe(spec !== old || JSON.stringify(old).length > 1000);
  }
});

it('compares, merges and collects hostile names of wide maps', () => {
  const hostile = (value: string): JsonObject => {
    const map = members(() => value);
    for (const name of ['__proto__', 'constructor', '', '1', 'f:a']) setOwn(map, name, value);
    return map;
  };
  const [old, updated] = [{ spec: { free: hostile('a') } }, { spec: { free: hostile('b') } }];
  // The first look notes that they are wide.
  for (const value of [old, updated]) finish(validateTypedInPasses(value, type, { allowDuplicates: true }));
  expect(String(finish(compareTypedInPasses(old, updated, type)).modified)).toContain('.spec.free.__proto__');
  expect(finish(mergeTypedInPasses(old, updated, type))).toEqual(updated);
  expect(String(finish(toFieldSetInPasses(old, type)))).toBe(String(toFieldSet(old, type)));
});

it.each(large)('writes the fields in passes: $what', ({ updated }) => {
  const set = toFieldSet({ spec: updated }, type);
  const { result, isDivided } = run(fieldSetToJsonInPasses(set));
  const copy = fieldSetFromJson(structuredClone(result));
  expect([copy.equals(set), isDivided]).toEqual([true, true]);
  expect(JSON.stringify(fieldSetToJson(copy))).toBe(JSON.stringify(result));
});

it.each<[what: string, spec: JsonObject]>([
  ['valid values', { map: items(() => 'a'), free: members(() => 'a'), any: members((i) => [i, {}]) }],
  ['items without keys', { map: [...items(() => 'a'), {}] }],
  ['equal keys', { map: [...items(() => 'a'), ...items(() => 'b', 3)] }],
  ['items of other types', { set: list((i) => (i % 300 === 0 ? i : `a${i}`)) }],
  ['members of other types', { free: members((i) => (i % 300 === 0 ? i : 'a')) }],
  ['an unknown field', { map: items(() => 'a'), unknown: 1, size: 'x' }],
  ['a map instead of a large list', { map: members(() => 'a') }],
  ['a list instead of a large map', { free: list((i) => `a${i}`) }],
])('validates in passes with the same errors: %s', (_what, spec) => {
  for (const allowDuplicates of [false, true]) {
    const errorsOf = (validate: () => void): unknown => {
      try {
        return validate();
      } catch (error) {
        return (error as TypedError).errors;
      }
    };
    const options = { allowDuplicates };
    let isDivided = false;
    const divided = errorsOf(() => ({ isDivided } = run(validateTypedInPasses({ spec }, type, options))));
    const errors = errorsOf(() => validateTyped({ spec }, type, options));
    expect(errors === undefined ? isDivided : divided).toEqual(errors ?? true);
  }
});

it('a small value is compared, merged and written at once', () => {
  const value = { spec: { map: items(() => 'a', 20) } };
  const other = { spec: { map: items(() => 'b', 20) } };
  const set = allFields(value, type);
  expect([
    [...compareTypedInPasses(value, other, type)],
    [...mergeTypedInPasses(value, other, type)],
    [...fieldSetToJsonInPasses(set)],
    [...validateTypedInPasses(value, type, { allowDuplicates: false })],
  ]).toEqual([[], [], [], []]);
});
