import { deepCopy, finish, type JsonObject, type JsonValue, parseJson, type Passes } from '@annex/machinery';
import { samples, schemaCases } from '@annex/testkit';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { compileDefaults } from './compile-defaults.ts';
import { generateDefaults, maxDefaultsLength } from './generated/defaults.ts';
import { structuralNode } from './structural/structural-node.ts';

const withDefault = { type: 'string', default: 'd' };
const inner: JsonObject = { type: 'object', properties: { a: withDefault, b: { type: 'integer' } } };

/** The results of the ways to set defaults: the walk, and the generated function. */
function bothFilled(schema: JsonObject, value: JsonValue): [JsonValue, JsonValue] {
  const node = structuralNode(schema);
  const [walked, divided, generated] = [deepCopy(value), deepCopy(value), deepCopy(value)];
  compileDefaults(node)?.set(walked);
  finish(compileDefaults(node)?.setInPasses(divided) ?? nothing());
  expect(divided).toEqual(walked);
  generateDefaults(node)?.(generated);
  return [walked, generated];
}

function* nothing(): Passes<void> {}

it.each<[string, JsonObject, JsonValue, JsonValue]>([
  ['missing fields', inner, { b: 1 }, { b: 1, a: 'd' }],
  ['fields of objects in lists', { type: 'array', items: inner }, [{}, 1, null], [{ a: 'd' }, 1, null]],
  ['nulls that are not allowed', inner, { a: null }, { a: 'd' }],
  [
    'no nulls that are allowed',
    { properties: { a: { ...withDefault, nullable: true } } },
    { a: null },
    { a: null },
  ],
  ['nulls in lists', { type: 'array', items: { ...inner, default: { b: 2 } } }, [null], [{ b: 2, a: 'd' }]],
  [
    'values of a map, except declared fields',
    { properties: { x: { type: 'object' } }, additionalProperties: inner },
    { x: {}, y: {} },
    { x: {}, y: { a: 'd' } },
  ],
  ['fields of a default', { properties: { o: { ...inner, default: {} } } }, {}, { o: { a: 'd' } }],
  ['nothing in scalars and lists', inner, [1], [1]],
  ['inherited names', { properties: { toString: withDefault } }, {}, { toString: 'd' }],
])('sets %s, as the generated function does', (_what, schema, value, expected) => {
  expect(bothFilled({ type: 'object', ...schema }, value)).toEqual([expected, expected]);
});

it('sets the name __proto__ as a member', () => {
  const [walked] = bothFilled(parseJson('{"properties":{"__proto__":{"default":"d"}}}') as JsonObject, {});
  expect(Object.keys(walked as JsonObject)).toEqual(['__proto__']);
});

it('copies a default for each object', () => {
  const [walked] = bothFilled({ type: 'array', items: { properties: { o: { default: { x: 1 } } } } }, [
    {},
    {},
  ]);
  const [first, second] = walked as { o: object }[];
  expect(first?.o).not.toBe(second?.o);
});

it('agrees with the generated function for random schemas', () => {
  fc.assert(
    fc.property(schemaCases(), ({ schema, loose }) => {
      const [walked, generated] = bothFilled(schema, loose);
      expect(walked).toEqual(generated);
    }),
    { numRuns: samples(200) },
  );
});

it('sets defaults up to maxDefaultsLength in each object', () => {
  const setDefaults = compileDefaults(
    structuralNode({ additionalProperties: { properties: { d: { default: 'x'.repeat(997) } } } }),
  )!;
  const mapOf = (count: number): JsonObject =>
    Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, {}]));
  const most = Math.floor(maxDefaultsLength / 1000);
  for (let object = 0; object < 2; object++) setDefaults.set(mapOf(most));
  expect(() => setDefaults.set(mapOf(most + 1))).toThrow('limit is 3145728 characters of defaults');
});
