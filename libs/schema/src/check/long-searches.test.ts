import { fieldErrorText, finish } from '@annex/machinery';
import { expect, it } from 'vitest';
import { compileStructural } from '../structural/structural.ts';
import { LongSearches, postponeSearches } from './long-searches.ts';

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

it.each([
  ['a text that matches', { one: `${long}b` }, []],
  ['a text that does not match', { one: long }, ['one']],
  ['one of two texts that does not match', { one: `${long}b`, two: long }, ['two']],
  ['a text that matches one of several patterns', { other: `${long}c` }, []],
  ['a text that matches none of several patterns', { other: `${long}d` }, ['', 'other']],
  ['a text that must not match', { none: `${long}c` }, ['']],
  ['a text that does not match, as it must not', { none: `${long}d` }, []],
])('%s is searched in passes, with the same errors', (_, object, fields) => {
  const found = postponeSearches(() => schema.validate(object));
  expect(found).toBeInstanceOf(LongSearches);
  const { passes } = found as LongSearches<ReturnType<typeof schema.validate>>;
  for (let pass = 0; pass < 3; pass++) expect(passes.next().done).toBe(false);
  const errors = finish(passes);
  expect([...new Set(errors.map(({ field }) => field))]).toEqual(fields);
  expect(errors.map(fieldErrorText)).toEqual(schema.validate(object).map(fieldErrorText));
});

it('short texts are searched at once', () => {
  expect(postponeSearches(() => schema.validate({ one: 'aab' }))).toEqual([]);
});

it('many texts are searched in a pass each', () => {
  const items = { type: 'string', pattern: 'a[ab]{900}c' };
  const object = compileStructural({ type: 'object', properties: { list: { type: 'array', items } } });
  const texts = Array.from({ length: 500 }, (_, i) => `${'ab'.repeat(60)}${i}`);
  const { passes } = postponeSearches(() => object.validate({ list: texts })) as LongSearches<unknown[]>;
  for (let pass = 0; pass < texts.length; pass++) expect(passes.next().done).toBe(false);
  expect(finish(passes)).toHaveLength(texts.length);
});
