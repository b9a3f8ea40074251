import { finish, type JsonObject, FieldPath, fieldErrorText } from '@annex/machinery';
import { describe, expect, it } from 'vitest';
import { checkStructural, hasUnprunedDefaults, isStructural } from './check-structural.ts';

const intOrString = { 'x-kubernetes-int-or-string': true };
const embedded = { type: 'object', 'x-kubernetes-embedded-resource': true };
const preserve = { 'x-kubernetes-preserve-unknown-fields': true };
const either = [{ type: 'integer' }, { type: 'string' }];

/** Returns a schema with one property `x`. */
const x = (schema: JsonObject): JsonObject => ({ type: 'object', properties: { x: schema } });
const texts = (schema: JsonObject): string[] =>
  checkStructural(schema, FieldPath.of('s')).map(fieldErrorText);

type Case = [name: string, schema: JsonObject, errors: string[]];

describe('a structural schema has types', () => {
  it.each<Case>([
    ['STR-001 at the root', { properties: {} }, ['s.type: Required value: must not be empty at the root']],
    [
      'at the root an object',
      { type: 'string' },
      ['s.type: Invalid value: "string": must be object at the root'],
    ],
    [
      'STR-002 of each property',
      x({}),
      ['s.properties[x].type: Required value: must not be empty for specified object fields'],
    ],
    [
      'STR-003 of additionalProperties',
      x({ type: 'object', additionalProperties: { minimum: 1 } }),
      [
        's.properties[x].additionalProperties.type: Required value: must not be empty for specified object fields',
      ],
    ],
    [
      'STR-004 of items',
      x({ type: 'array', items: {} }),
      ['s.properties[x].items.type: Required value: must not be empty for specified array items'],
    ],
    [
      'and arrays have items',
      x({ type: 'array' }),
      ['s.properties[x].items: Required value: must be specified'],
    ],
    ['STR-005 unless it is int-or-string', x(intOrString), []],
    ['STR-006 unless it preserves unknown fields', x(preserve), []],
    [
      'KEP-019 with a path to the field',
      x({ type: 'array', items: { type: 'object', properties: { y: {} } } }),
      [
        's.properties[x].items.properties[y].type: Required value: must not be empty for specified object fields',
      ],
    ],
    [
      'and no additionalProperties at the root',
      { type: 'object', additionalProperties: { type: 'string' } },
      ['s.additionalProperties: Forbidden: must not be used at the root'],
    ],
  ])('%s', (_, schema, errors) => {
    expect(texts(schema)).toEqual(errors);
  });
});

describe('int-or-string', () => {
  const notStructural = (...places: string[]) =>
    places.map((place) => `s.properties[x].${place}.type: Forbidden: must be empty to be structural`);
  it.each<Case>([
    ['IOS-001 stands alone', x(intOrString), []],
    ['IOS-002 KEP-017 has the first pattern', x({ ...intOrString, anyOf: either }), []],
    [
      'IOS-003 has the second pattern',
      x({ ...intOrString, allOf: [{ anyOf: either }, { pattern: 'a' }] }),
      [],
    ],
    ['has the pattern without the extension', x({ type: 'string', anyOf: either }), []],
    [
      'IOS-004 does not have it reversed',
      x({ ...intOrString, anyOf: [{ type: 'string' }, { type: 'integer' }] }),
      notStructural('anyOf[0]', 'anyOf[1]'),
    ],
    [
      'IOS-004 has no more in the pattern',
      x({ ...intOrString, anyOf: [{ type: 'integer', minimum: 1 }, { type: 'string' }] }),
      notStructural('anyOf[0]', 'anyOf[1]'),
    ],
    [
      'does not have the pattern later',
      x({ ...intOrString, allOf: [{ pattern: 'x' }, { anyOf: either }] }),
      notStructural('allOf[1].anyOf[0]', 'allOf[1].anyOf[1]'),
    ],
    [
      'does not preserve unknown fields',
      x({ ...intOrString, ...preserve }),
      [
        's.properties[x].x-kubernetes-preserve-unknown-fields: Invalid value: true: must be false if x-kubernetes-int-or-string is true',
      ],
    ],
  ])('%s', (_, schema, errors) => {
    expect(texts(schema)).toEqual(errors);
  });
});

describe('metadata and embedded resources', () => {
  const metadata = (schema: JsonObject): JsonObject => ({ type: 'object', properties: { metadata: schema } });
  const forbidden =
    's.properties[metadata]: Forbidden: must not specify anything other than name and generateName, but metadata is implicitly specified';
  const emptyProperties =
    's.properties[x].properties: Required value: must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields';
  it.each<Case>([
    [
      'STR-013 KEP-021 name and generateName may be restricted',
      metadata({
        type: 'object',
        properties: { name: { type: 'string', pattern: '^a' }, generateName: { type: 'string' } },
      }),
      [],
    ],
    [
      'STR-013 labels may not',
      metadata({ type: 'object', properties: { labels: { type: 'object' } } }),
      [forbidden],
    ],
    ['KEP-021 metadata as a whole may not', metadata({ type: 'object', maxProperties: 3 }), [forbidden]],
    [
      'metadata is an object',
      metadata({ type: 'string' }),
      ['s.properties[metadata].type: Invalid value: "string": must be object'],
    ],
    [
      'kind and apiVersion are strings',
      { type: 'object', properties: { kind: { type: 'integer' }, apiVersion: { type: 'object' } } },
      [
        's.properties[apiVersion].type: Invalid value: "object": must be string',
        's.properties[kind].type: Invalid value: "integer": must be string',
      ],
    ],
    [
      'KEP-024 metadata of an embedded resource may be restricted',
      x({
        ...embedded,
        properties: { metadata: { type: 'object', properties: { labels: { type: 'object' } } } },
      }),
      [],
    ],
    [
      'IOS-007 KEP-035 an embedded resource preserves unknown fields',
      x({ ...embedded, ...preserve, nullable: true }),
      [],
    ],
    ['KEP-013 or has properties', x(embedded), [emptyProperties]],
    [
      'KEP-011 and is an object',
      x({ ...embedded, ...preserve, type: 'string' }),
      [
        's.properties[x].type: Invalid value: "string": must be object if x-kubernetes-embedded-resource is true',
      ],
    ],
    [
      'an embedded resource is not a map',
      x({ ...embedded, additionalProperties: { type: 'string' } }),
      [
        's.properties[x].additionalProperties: Forbidden: must not be used if x-kubernetes-embedded-resource is set',
        emptyProperties,
      ],
    ],
  ])('%s', (_, schema, errors) => {
    expect(texts(schema)).toEqual(errors);
  });
});

describe('defaults', () => {
  it.each<Case>([
    [
      'have the type',
      x({ type: 'string', default: 1 }),
      ['s.properties[x].default: Invalid value: "integer":  in body must be of type string: "integer"'],
    ],
    [
      'DEF-010 are valid',
      x({ type: 'integer', minimum: 5, default: 1 }),
      ['s.properties[x].default: Invalid value: 1:  in body should be greater than or equal to 5'],
    ],
    [
      'are valid inside',
      x({ type: 'array', items: { type: 'integer' }, default: ['a'] }),
      ['s.properties[x].default.[0]: Invalid value: "string": [0] in body must be of type integer: "string"'],
    ],
    [
      'have the required fields',
      x({ type: 'object', properties: { a: { type: 'string' } }, required: ['a'], default: {} }),
      ['s.properties[x].default.a: Required value'],
    ],
    [
      'DEF-009 have no unknown fields',
      x({ type: 'object', properties: { a: { type: 'string' } }, default: { a: '1', b: 2 } }),
      ['s.properties[x].default: Invalid value: {"a":"1","b":2}: must not have unknown fields'],
    ],
    [
      'are not looked at in maps',
      x({ type: 'object', additionalProperties: { type: 'string', default: 1 } }),
      [],
    ],
    ['can be any value if no type is required', x({ ...intOrString, default: true }), []],
    [
      'make a whole resource at the root',
      { type: 'object', properties: { a: { type: 'string' } }, default: { a: 'b' } },
      ['s.default.apiVersion: Required value', 's.default.kind: Required value'],
    ],
    [
      'make a whole embedded resource',
      x({ ...embedded, ...preserve, default: { apiVersion: 'v1', kind: 'b b' } }),
      [
        "s.properties[x].default.kind: Invalid value: \"b b\": may have mixed case, but should otherwise match: a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')",
      ],
    ],
    [
      'make valid metadata',
      x({
        ...embedded,
        properties: {
          metadata: { type: 'object', properties: { labels: { type: 'string', default: 'x' } } },
        },
      }),
      [
        's.properties[x].properties[metadata].properties[labels].default: Invalid value: "x": must result in valid metadata: metadata: Invalid value: {"labels":"x"}: json: cannot unmarshal string into Go struct field ObjectMeta.labels of type map[string]string',
      ],
    ],
    [
      'DEF-011 may have unknown fields in metadata',
      x({ ...embedded, properties: { metadata: { type: 'object', default: { bogus: 1 } } } }),
      [],
    ],
  ])('%s', (_, schema, errors) => {
    expect(texts(schema)).toEqual(errors);
  });

  it('can have unknown fields if the stored schema has them', () => {
    const schema = x({ type: 'object', properties: { a: { type: 'string' } }, default: { b: 2 } });
    expect(checkStructural(schema, FieldPath.root, { prunedDefaults: false })).toEqual([]);
    expect(finish(hasUnprunedDefaults(schema))).toBe(true);
    expect(
      finish(
        hasUnprunedDefaults(x({ type: 'object', properties: { a: { type: 'string' } }, default: { a: '' } })),
      ),
    ).toBe(false);
  });
});

describe('unsupported schemas', () => {
  it.each<[string, JsonObject, string]>([
    [
      'definitions, which end the validation',
      { definitions: { a: {} }, properties: { x: {} } },
      "OpenAPIV3Schema 'definitions' is not supported",
    ],
    [
      'KEP-010 half a wish to preserve',
      x({ 'x-kubernetes-preserve-unknown-fields': false }),
      "internal error: 'x-kubernetes-preserve-unknown-fields' must be true or undefined",
    ],
    [
      'its dialect',
      { $schema: 'https://json-schema.org/', type: 'object' },
      "OpenAPIV3Schema 'schema' is not supported",
    ],
    [
      'items after the last, whatever they are',
      x({ type: 'array', additionalItems: {} }),
      "OpenAPIV3Schema 'additionalItems' is not supported",
    ],
    [
      'a list of items',
      x({ type: 'array', items: [{ type: 'string' }] }),
      "OpenAPIV3Schema 'items' must be a schema, but is an array",
    ],
  ])('are reported with the first error: %s', (_name, schema, error) => {
    expect(texts(schema)).toEqual([`s: Invalid value: "": ${error}`]);
    expect(finish(isStructural(schema))).toBe(false);
  });
});

it('reports the errors of more properties than fit on the stack as arguments', () => {
  const properties = Object.fromEntries(Array.from({ length: 200_000 }, (_, i) => [`a${i}`, {}]));
  expect(texts(x({ type: 'object', properties }))).toHaveLength(200_000);
});

it('many branches of a schema with many properties take linear time', () => {
  const names = Array.from({ length: 20_000 }, (_, i) => `p${i}`);
  const of = (property: object) => Object.fromEntries(names.map((name) => [name, property]));
  const anyOf = names.map((name) => ({ properties: { [name]: { minLength: 1 } } }));
  expect(texts({ type: 'object', properties: of({ type: 'string' }), anyOf } as JsonObject)).toEqual([]);
});
