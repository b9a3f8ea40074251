import type { JsonObject } from '@annex/machinery';
import { describe, expect, it } from 'vitest';
import { generatedParts, isLargeSchema } from './schema-size.ts';
import { compileStructural, compileStructuralInPasses } from './structural/structural.ts';

/** A schema of so many parts, root and property included. */
const schemaOf = (parts: number): JsonObject => ({
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: Object.fromEntries(
        Array.from({ length: parts - 2 }, (_, i) => [
          `p${i}`,
          { type: 'string', maxLength: 3, default: 'd' },
        ]),
      ),
    },
  },
});

it('a schema with more than generatedParts is large', () => {
  expect([generatedParts, generatedParts + 1].map((parts) => isLargeSchema(schemaOf(parts)))).toEqual([
    false,
    true,
  ]);
});

it.each([
  ['items of lists', { items: schemaOf(generatedParts) }],
  ['branches', { oneOf: Array.from({ length: generatedParts }, () => ({})) }],
  ['required names', { required: Array.from({ length: generatedParts }, (_, i) => `r${i}`) }],
  ['what is excluded', { not: schemaOf(generatedParts) }],
  ['values of maps', { additionalProperties: schemaOf(generatedParts) }],
])('%s count', (_what, schema) => {
  expect(isLargeSchema(schema)).toBe(true);
});

describe.each([
  ['small', 100],
  ['large', generatedParts + 1],
])('a %s schema', (_size, parts) => {
  const schema = compileStructural(schemaOf(parts));

  it('prunes, defaults and validates', () => {
    const object: JsonObject = { spec: { p1: 'long', p2: 'abc', other: 1 } };
    expect(schema.prune(object)).toEqual(['spec.other']);
    schema.applyDefaults(object);
    expect(object.spec).toMatchObject({ p0: 'd', p1: 'long', p2: 'abc' });
    expect(schema.validate(object).map(({ field }) => field)).toEqual(['spec.p1']);
    (object.spec as JsonObject).p1 = 'abc';
    expect(schema.validate(object)).toEqual([]);
  });

  it('is compiled with pauses between its passes', () => {
    const passes = compileStructuralInPasses(schemaOf(parts));
    let pauses = 0;
    while (passes.next().done !== true) pauses++;
    expect(pauses).toBeGreaterThan(6);
  });
});

describe('a schema of many branches', () => {
  const branches = Array.from({ length: generatedParts }, (_, i) => ({
    properties: { a: { pattern: `^a${i}$` } },
  }));
  const spec = { type: 'object', properties: { a: { type: 'string' } } };
  const fieldsOf = (junctor: string, a: string) =>
    compileStructural({ type: 'object', properties: { spec: { ...spec, [junctor]: branches } } })
      .validate({ spec: { a } })
      .map(({ field }) => field);

  it.each([
    ['oneOf', 'a0', []],
    ['oneOf', `a${generatedParts - 1}`, []],
    ['oneOf', 'b', ['', 'spec.a']],
    ['anyOf', 'a7', []],
    ['anyOf', 'b', ['', 'spec.a']],
  ])('validates with each branch of %s: %s', (junctor, a, fields) => {
    expect(fieldsOf(junctor, a)).toEqual(fields);
  });
});
