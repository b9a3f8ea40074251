import { finish } from '@annex/machinery';
import type { JsonObject } from '@annex/machinery';
import { applyStrategicMergePatchInPasses } from '@annex/schema';
import { describe, expect, it } from 'vitest';
import { compileTyped } from './typed-schema.ts';

const spec: JsonObject = {
  type: 'object',
  default: {},
  required: ['name'],
  properties: {
    name: { type: 'string', minLength: 2 },
    note: { type: 'string' },
    reason: { type: 'string', nullable: true },
    color: { type: 'string', title: 'Color', enum: ['red', 'green'] },
    count: { type: 'integer', format: 'int32' },
    paused: { type: 'boolean' },
    at: { type: 'string', format: 'date-time' },
    port: { 'x-kubernetes-int-or-string': true },
    tags: { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' },
    labels: { type: 'object', additionalProperties: { type: 'string' } },
    parts: {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name', 'side'],
      items: {
        type: 'object',
        required: ['name'],
        properties: {
          name: { type: 'string' },
          side: { type: 'string', default: 'left' },
          note: { type: 'string' },
        },
      },
    },
    raw: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    pointer: { type: 'object', properties: { x: { type: 'string' } } },
  },
};

const schema = compileTyped({
  group: 'toys.example.com',
  version: 'v1',
  kind: 'Toy',
  schema: { type: 'object', properties: { spec, status: { type: 'object', default: {}, properties: {} } } },
});

const toy = (content: JsonObject): JsonObject => ({
  apiVersion: 'toys.example.com/v1',
  kind: 'Toy',
  metadata: { name: 'bear' },
  spec: content,
});

/** An object after decoding. */
function decoded(content: JsonObject): JsonObject {
  const object = toy(content);
  schema.prune(object);
  schema.applyDefaults(object);
  return object;
}

describe('the Go types of a structural schema', () => {
  it.each<[wrong: JsonObject, complaint: string]>([
    [{ name: 5 }, 'number into Go struct field ToySpec.spec.name of type string'],
    [{ color: true }, 'bool into Go struct field ToySpec.spec.color of type v1.Color'],
    [{ count: 1.5 }, 'number 1.5 into Go struct field ToySpec.spec.count of type int32'],
    [{ count: 2147483648 }, 'number 2147483648 into Go struct field ToySpec.spec.count of type int32'],
    [{ tags: 'a' }, 'string into Go struct field ToySpec.spec.tags of type []string'],
    [{ labels: { a: [] } }, 'array into Go struct field ToySpec.spec.labels of type string'],
    [{ parts: {} }, 'object into Go struct field ToySpec.spec.parts of type []v1.ToySpecParts'],
    [{ parts: [{ side: 1 }] }, 'number into Go struct field ToySpecParts.spec.parts.side of type string'],
    [{ pointer: [] }, 'array into Go struct field ToySpec.spec.pointer of type v1.ToySpecPointer'],
  ])('refuse %j', (invalid, error) => {
    expect(schema.decodeError(toy(invalid))).toBe(`json: cannot unmarshal ${error}`);
  });

  it('refuse invalid times, and accept a number or a string for int-or-string', () => {
    expect(schema.decodeError(toy({ at: 'noon' }))).toContain('parsing time "noon" as');
    expect([schema.decodeError(toy({ port: 80 })), schema.decodeError(toy({ port: 'http' }))]).toEqual([
      undefined,
      undefined,
    ]);
  });

  it('have the fields of metadata, and report unknown ones in order', () => {
    const object = { ...toy({ zebra: 1, ant: 2, raw: { any: 1 } }), metadata: { color: 'x', name: 'bear' } };
    expect(schema.prune(object)).toEqual(['metadata.color', 'spec.zebra', 'spec.ant']);
    expect(object).toEqual(toy({ raw: { any: 1 } }));
  });

  it.each<[what: string, sent: JsonObject, kept: JsonObject]>([
    ['empty strings, lists and maps', { note: '', tags: [], labels: {} }, {}],
    ['null', { note: null, parts: null, pointer: null, count: null }, {}],
    ['empty items', { parts: [{ name: 'a', note: '' }] }, { parts: [{ name: 'a', side: 'left' }] }],
  ])('omit %s', (_what, sent, kept) => {
    expect(decoded(sent)).toEqual({ ...toy(kept), status: {} });
  });

  it.each<[what: string, sent: JsonObject]>([
    ['required fields', { name: '' }],
    ['a nullable string, which is a pointer', { reason: '' }],
    ['numbers and booleans', { count: 0, paused: false }],
    ['structs', { pointer: {} }],
    ['JSON of any kind', { raw: {} }],
    ['empty items of a list of strings', { tags: [''] }],
  ])('keep %s', (_what, sent) => {
    expect(decoded(sent)).toEqual({ ...toy(sent), status: {} });
  });

  it('convert null in lists and maps of strings to an empty string', () => {
    expect(decoded({ tags: [null, 'a'], labels: { a: null } }).spec).toEqual({
      tags: ['', 'a'],
      labels: { a: '' },
    });
  });

  it('always encode structs that are not pointers', () => {
    const { spec: _, ...bare } = toy({});
    schema.applyDefaults(bare);
    expect(bare).toEqual({ ...toy({}), status: {} });
    expect(schema.empty).toMatchObject({ spec: {}, status: {} });
  });

  it('do not check limits', () => {
    expect(schema.validate(decoded({ name: 'x', color: 'blue' })).map(({ field }) => field)).toEqual([
      'spec.name',
      'spec.color',
    ]);
  });

  it('are encoded in declaration order', () => {
    const mixed = {
      status: {},
      spec: { count: 1, labels: { b: '', a: '' }, name: 'x' },
      metadata: { uid: 'u', name: 'n' },
    };
    expect(JSON.stringify(schema.printed?.({ ...mixed, apiVersion: 'v', kind: 'k' }))).toBe(
      '{"kind":"k","apiVersion":"v","metadata":{"name":"n","uid":"u"},"spec":{"name":"x","count":1,"labels":{"a":"","b":""}},"status":{}}',
    );
  });
});

describe('strategic merge patches', () => {
  const merged = (content: JsonObject, patch: JsonObject) =>
    finish(applyStrategicMergePatchInPasses(toy(content), { spec: patch }, schema.root)).spec;

  it('merge lists by the first of their keys, and sets as sets', () => {
    const before: JsonObject = { parts: [{ name: 'arm', note: 'old' }, { name: 'leg' }], tags: ['a'] };
    expect(merged(before, { parts: [{ name: 'arm', note: 'new' }], tags: ['b', 'a'] })).toEqual({
      parts: [{ name: 'arm', note: 'new' }, { name: 'leg' }],
      tags: ['b', 'a'],
    });
    expect(merged(before, { parts: [{ $patch: 'delete', name: 'leg' }] })).toMatchObject({
      parts: [{ name: 'arm', note: 'old' }],
    });
  });

  it("merge lists by the schema's own merge rules", () => {
    const own = compileTyped({
      group: 'g.io',
      version: 'v1',
      kind: 'Own',
      schema: {
        type: 'object',
        properties: {
          items: {
            type: 'array',
            'x-kubernetes-patch-strategy': 'merge',
            'x-kubernetes-patch-merge-key': 'id',
            items: { type: 'object', properties: { id: { type: 'string' }, n: { type: 'integer' } } },
          },
        },
      },
    });
    const patch = { items: [{ id: 'a', n: 2 }] };
    expect(
      finish(applyStrategicMergePatchInPasses({ items: [{ id: 'a', n: 1 }, { id: 'b' }] }, patch, own.root)),
    ).toEqual({
      items: [{ id: 'a', n: 2 }, { id: 'b' }],
    });
  });
});

it('defaults that depend on other fields are set after those of the schema, and emptied fields are omitted', () => {
  const { applyDefaults } = compileTyped({
    group: 'g.io',
    version: 'v1',
    kind: 'Dependent',
    schema: {
      type: 'object',
      properties: {
        size: { type: 'integer', default: 3 },
        name: { type: 'string' },
        note: { type: 'string' },
      },
    },
    setDefaults(object) {
      object.name ??= `of size ${String(object.size)}`;
      object.note = '';
    },
  });
  const object: JsonObject = { note: 'x' };
  applyDefaults(object);
  expect(object).toMatchObject({ size: 3, name: 'of size 3' });
  expect(object).not.toHaveProperty('note');
});
