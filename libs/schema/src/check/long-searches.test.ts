import { errorsInPasses, fieldErrorText, finish, type JsonObject } from '@annex/machinery';
import { expect, it } from 'vitest';
import { compileStructural, type StructuralSchema } from '../structural/structural.ts';

const long = 'a'.repeat(200_000);
const text = { type: 'string', pattern: '^a+b$' };
const schema = compileStructural({
  type: 'object',
  properties: {
    one: text,
    two: text,
    other: { oneOf: [{ pattern: '^a+$' }, { pattern: '^a+b$' }, { pattern: '^a+c$' }] },
    none: { not: { pattern: '^a+c$' } },
  },
});

const validated = (of: StructuralSchema, object: JsonObject) => errorsInPasses(() => of.validate(object));

it.each([
  ['a text that matches', { one: `${long}b` }, []],
  ['a text that does not match', { one: long }, ['one']],
  ['one of two texts that does not match', { one: `${long}b`, two: long }, ['two']],
  ['a text that matches one of several patterns', { other: `${long}c` }, []],
  ['a text that matches none of several patterns', { other: `${long}d` }, ['', 'other']],
  ['a text that must not match', { none: `${long}c` }, ['']],
  ['a text that does not match, as it must not', { none: `${long}d` }, []],
])('%s is searched in passes, with the same errors', (_, object, fields) => {
  const passes = validated(schema, object);
  for (let pass = 0; pass < 3; pass++) expect(passes.next().done).toBe(false);
  const errors = finish(passes);
  expect([...new Set(errors.map(({ field }) => field))]).toEqual(fields);
  expect(errors.map(fieldErrorText)).toEqual(schema.validate(object).map(fieldErrorText));
});

it('short texts are searched at once', () => {
  expect(validated(schema, { one: 'aab' }).next()).toEqual({ done: true, value: [] });
});

it('many texts are searched in a pass each', () => {
  const items = { type: 'string', pattern: 'a[ab]{900}c' };
  const object = compileStructural({ type: 'object', properties: { list: { type: 'array', items } } });
  const texts = Array.from({ length: 500 }, (_, i) => `${'ab'.repeat(60)}${i}`);
  const passes = validated(object, { list: texts });
  for (let pass = 0; pass < texts.length; pass++) expect(passes.next().done).toBe(false);
  expect(finish(passes)).toHaveLength(texts.length);
});
