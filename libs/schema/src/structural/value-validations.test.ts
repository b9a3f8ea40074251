import { isObject, type JsonObject, type JsonValue } from '@annex/machinery';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { objectMergeType } from '../typed-values/typed-schema.ts';
import { compileStructural } from './structural.ts';
import { structuralNode } from './structural-node.ts';

const embedded = {
  'x-kubernetes-embedded-resource': true,
  'x-kubernetes-preserve-unknown-fields': true,
};
const text = { type: 'string' };

/** The litmus tests of the KEP on structural schemas, with and without value validations. */
const litmus: [string, JsonObject, JsonObject][] = [
  [
    'KEP-046 a union',
    {
      type: 'object',
      properties: {
        type: { type: 'string', enum: ['EmptyDir', 'HostPath'] },
        emptyDir: { type: 'object' },
        hostPath: {
          type: 'object',
          properties: { path: { type: 'string', pattern: '/.*' } },
          required: ['path'],
        },
        sharedField: text,
      },
      required: ['sharedField'],
    },
    {
      type: 'object',
      properties: {
        type: text,
        emptyDir: { type: 'object' },
        hostPath: { type: 'object', properties: { path: text } },
        sharedField: text,
      },
    },
  ],
  ['KEP-047 a text of two forms', { ...text, anyOf: [{ pattern: '^a' }, { pattern: '^b' }] }, text],
  [
    'KEP-048 an embedded resource',
    {
      type: 'object',
      nullable: true,
      ...embedded,
      properties: { apiVersion: { ...text, pattern: 'v1' } },
    },
    {
      type: 'object',
      nullable: true,
      ...embedded,
      properties: { apiVersion: text, kind: text, metadata: { type: 'object' } },
    },
  ],
  [
    'KEP-049 embedded JSON, which has none',
    { type: 'object', 'x-kubernetes-preserve-unknown-fields': true, nullable: true },
    { type: 'object', 'x-kubernetes-preserve-unknown-fields': true, nullable: true },
  ],
  [
    'KEP-050 a map of numbers',
    { type: 'object', additionalProperties: { type: 'integer', minimum: 42 } },
    { type: 'object', additionalProperties: { type: 'integer' } },
  ],
  [
    'KEP-051 an integer or a string',
    {
      'x-kubernetes-int-or-string': true,
      pattern: 'abc',
      anyOf: [
        { minimum: 42, maximum: 50 },
        { minimum: 52, maximum: 60 },
      ],
    },
    { 'x-kubernetes-int-or-string': true },
  ],
];

const within = (x: JsonObject): JsonObject => ({ type: 'object', properties: { x } });

describe('value validations do not affect the structure', () => {
  it.each(litmus)('%s', (_name, full, stripped) => {
    const typesOf = (schema: JsonObject) => objectMergeType(structuralNode(within(schema)));
    expect(typesOf(full)).toEqual(typesOf(stripped));
  });

  it('KEP-008 a field that only a junctor names is pruned', () => {
    const schema = within({ type: 'object', anyOf: [{ properties: { a: { minimum: 1 } } }] });
    const object: JsonObject = { x: { a: 1 } };
    expect(compileStructural(schema).prune(object)).toEqual(['x.a']);
    expect(object).toEqual({ x: {} });
  });
});

const names = fc.constantFrom('a', 'b', 'c');
const numberRules = fc.record({ minimum: fc.nat(3), maximum: fc.nat(5) }, { requiredKeys: [] });
const textRules = fc.record(
  { minLength: fc.nat(2), pattern: fc.constantFrom('^a', 'b$'), enum: fc.constant(['a', 'ab']) },
  { requiredKeys: [] },
);
const { schema: schemas } = fc.letrec<{ schema: JsonObject }>((tie) => ({
  schema: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    numberRules.map((rules) => ({ type: 'integer', ...rules })),
    textRules.map((rules) => ({ type: 'string', ...rules })),
    fc
      .record({ items: tie('schema'), maxItems: fc.nat(3) }, { requiredKeys: ['items'] })
      .map((rules) => ({ type: 'array', ...rules })),
    fc
      .record(
        { properties: fc.dictionary(names, tie('schema')), required: fc.uniqueArray(names) },
        { requiredKeys: ['properties'] },
      )
      .map((rules) => ({ type: 'object', ...rules })),
    fc
      .tuple(
        tie('schema'),
        fc.constantFrom('allOf', 'anyOf', 'oneOf'),
        fc.array(numberRules, { minLength: 1 }),
      )
      .map(([schema, junctor, branches]) => ({ ...schema, [junctor]: branches as JsonValue })),
  ) as fc.Arbitrary<JsonObject>,
}));
const { value: values } = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.nat(6),
    fc.constantFrom('', 'a', 'ab', 'c'),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(names, tie('value')),
  ) as fc.Arbitrary<JsonValue>,
}));

const structure = ['type', 'properties', 'items', 'additionalProperties'];

/** Removes the value validations from a schema. */
function structureOf(schema: JsonObject): JsonObject {
  const kept = Object.entries(schema).filter(([field]) => structure.includes(field));
  return Object.fromEntries(
    kept.map(([field, value]) => {
      if (!isObject(value)) return [field, value];
      if (field !== 'properties') return [field, structureOf(value)];
      const properties = Object.entries(value) as [string, JsonObject][];
      return [field, Object.fromEntries(properties.map(([name, part]) => [name, structureOf(part)]))];
    }),
  );
}

describe('a schema without its value validations', () => {
  it('KEP-020 is never stricter', () => {
    fc.assert(
      fc.property(schemas, values, (schema, value) => {
        const valid = (of: JsonObject) => compileStructural(within(of)).validate({ x: value }).length === 0;
        expect(valid(schema) && !valid(structureOf(schema))).toBe(false);
      }),
    );
  });
});
