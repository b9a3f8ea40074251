import { errorsInPasses, fieldErrorText, type JsonObject, type JsonValue } from '@annex/machinery';
import { expect, it } from 'vitest';
import { compileStructural } from './structural.ts';

const range = <T>(length: number, of: (i: number) => T): T[] => Array.from({ length }, (_, i) => of(i));
const integer = { type: 'integer' };
const listOf = (items: JsonObject, more: JsonObject = {}): JsonObject => ({ type: 'array', items, ...more });
const mapList = (...keys: string[]): JsonObject => ({
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': keys,
});
const fields = (count: number): JsonObject => Object.fromEntries(range(count, (i) => [`f${i}`, integer]));
const objectOf = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({
  type: 'object',
  properties,
  ...more,
});

const schema = compileStructural(
  objectOf({
    choices: listOf(
      objectOf(
        { a: integer },
        { oneOf: range(20, (i) => ({ properties: { a: { minimum: i, maximum: i } } })) },
      ),
    ),
    texts: listOf({ type: 'string', anyOf: range(50, (i) => ({ enum: [`t${i}`] })) }),
    not: listOf({ type: 'integer', not: { anyOf: range(20, (i) => ({ enum: [i] })) } }),
    all: listOf({ type: 'integer', allOf: range(20, (i) => ({ minimum: i })) }),
    whole: {
      type: 'object',
      'x-kubernetes-preserve-unknown-fields': true,
      anyOf: range(3, (i) => ({ properties: { items: { items: { maximum: i } } } })),
    },
    wide: listOf(objectOf(fields(1000))),
    enum: listOf({ type: 'integer', enum: range(2000, (i) => i) }),
    long: listOf({ type: 'string', format: 'date' }),
    set: listOf(integer, { 'x-kubernetes-list-type': 'set' }),
    objects: listOf(objectOf({ a: integer }, { 'x-kubernetes-map-type': 'atomic' }), {
      'x-kubernetes-list-type': 'set',
    }),
    ports: listOf(objectOf({ a: integer, b: integer }, { required: ['a', 'b'] }), mapList('a', 'b')),
    limited: listOf(
      objectOf({ a: integer, n: { type: 'integer', maximum: 5 } }, { required: ['a'] }),
      mapList('a'),
    ),
    map: { type: 'object', additionalProperties: { type: 'integer', maximum: 5 } },
    text: { type: 'string', maxLength: 3 },
  }),
);
const limited = range(5000, (a) => ({ a, n: 9 }));
const entries = (value: number): JsonObject => Object.fromEntries(range(5000, (i) => [`k${i}`, value]));

it.each<[what: string, object: JsonObject, errors: number, old?: JsonObject]>([
  ['items with a choice', { choices: range(2000, (i) => ({ a: i % 20 })) }, 0],
  ['items without a choice', { choices: range(2000, () => ({ a: 99 })) }, 1001],
  ['texts with alternatives', { texts: range(2000, (i) => `t${i % 50}`) }, 0],
  ['texts without an alternative', { texts: range(400, () => 'x') }, 800],
  ['items of none of several kinds', { not: range(2000, () => 99) }, 0],
  ['items of all kinds', { all: range(2000, () => 99) }, 0],
  ['a list in a choice', { whole: { items: range(12_000, () => 2) } }, 0],
  ['items with many declared fields', { wide: range(5000, () => ({ f1: 1 })) }, 0],
  ['items of an enumeration', { enum: range(5000, (i) => i % 2000) }, 0],
  ['items beyond an enumeration', { enum: range(1500, () => 9999) }, 1001],
  ['long texts', { long: range(10, () => 'x'.repeat(1_000_000)) }, 10],
  ['a set with a duplicate', { set: [...range(60_000, (i) => i), 0] }, 1],
  ['a set of objects', { objects: range(5000, (a) => ({ a })) }, 0],
  ['a set of a large object', { objects: [{ a: 1, ...(entries(1) as JsonObject) }, {}] }, 0],
  ['a list of two keys', { ports: range(5000, (a) => ({ a, b: 1 })) }, 0],
  ['a list of equal keys', { ports: range(5000, () => ({ a: 1, b: 1 })) }, 1],
  ['items that were invalid before', { limited, text: 'a' }, 0, { limited }],
  ['one item that was valid before', { limited }, 1, { limited: [{ a: 0, n: 1 }, ...limited.slice(1)] }],
  ['members that were invalid before', { map: entries(9), text: 'a' }, 0, { map: entries(9) }],
])('%s: the errors in passes are those at once', (_what, object, count, old) => {
  const passes = errorsInPasses(() => schema.validate(object, old));
  for (let pass = 0; pass < 3; pass++) expect(passes.next().done).toBe(false);
  let last = passes.next();
  while (last.done !== true) last = passes.next();
  expect(last.value).toHaveLength(count);
  expect(last.value.map(fieldErrorText)).toEqual(schema.validate(object, old).map(fieldErrorText));
});

it.each<[what: string, object: JsonObject]>([
  ['a choice', { choices: [{ a: 1 }] }],
  ['a set and a list of keys', { set: [1, 2], ports: [{ a: 1, b: 2 }] }],
  ['an error', { text: 'abcd' }],
])('a small object is validated at once: %s', (_what, object) => {
  expect(errorsInPasses(() => schema.validate(object)).next().done).toBe(true);
});

it('a write of the status is validated in passes', () => {
  const ofStatus = compileStructural(
    objectOf({ status: objectOf({ list: listOf({ type: 'integer', maximum: 1 }) }) }),
  );
  const object = { status: { list: range(5000, (i): JsonValue => (i < 4990 ? 1 : 2)) } };
  const passes = errorsInPasses(() => ofStatus.validateStatus(object));
  expect(passes.next().done).toBe(false);
  expect(ofStatus.validateStatus(object)).toHaveLength(10);
});

it('an enumeration that is long is not repeated in each message', () => {
  const long = range(20_000, (i) => `value-${i}`);
  const ofEnum = compileStructural(
    objectOf({ list: listOf({ type: 'string', enum: long }), other: { type: 'string', enum: long } }),
  );
  const errors = ofEnum.validate({ list: range(5000, () => 'x'), other: 'x' });
  expect(errors).toHaveLength(1001);
  expect(errors[0]?.detail).toBe(errors[1000]?.detail);
});
