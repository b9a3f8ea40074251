import { finish } from '@annex/machinery';
import { describe, expect, test } from 'vitest';
import { roundTrip } from './round-trip.ts';

test('large maps and lists are normalized in passes, with sorted names', () => {
  const sent = { nullable: false, type: 'object', required: [null] };
  const names = Array.from({ length: 1200 }, (_, i) => `p${i}`);
  const properties = Object.fromEntries(names.toReversed().map((name) => [name, { ...sent, title: name }]));
  const openAPIV3Schema = { properties, allOf: names.map((title) => ({ ...sent, title })) };
  const object = { spec: { versions: [{ name: 'v1', schema: { openAPIV3Schema } }] } };
  const passes = roundTrip(object);
  let count = 0;
  while (passes.next().done !== true) count++;
  expect(count).toBeGreaterThan(4);
  const printed = (title: string) => ({ title, type: 'object', required: [''] });
  const schema = object.spec.versions[0]?.schema.openAPIV3Schema;
  expect(Object.entries(schema?.properties ?? {})).toEqual(
    names.toSorted().map((name) => [name, printed(name)]),
  );
  expect(schema?.allOf).toEqual(names.map(printed));
});

describe('a CRD is normalized to the form that kube-apiserver prints', () => {
  test('required members are added, empty', () => {
    const object = { spec: {} };
    finish(roundTrip(object));
    expect(object).toEqual({
      spec: { group: '', names: { plural: '', kind: '' }, scope: '', versions: null },
      status: { conditions: null, acceptedNames: { plural: '', kind: '' }, storedVersions: null },
    });
  });

  test('null instead of a version is an empty version', () => {
    const object = { spec: { versions: [null] } };
    finish(roundTrip(object));
    expect(object.spec.versions).toEqual([{ name: '', served: false, storage: false }]);
  });

  test('null in a list of strings is an empty string', () => {
    const object = { spec: { names: { shortNames: [null, 'w'], categories: [null] } } };
    finish(roundTrip(object));
    expect(object.spec.names).toMatchObject({ shortNames: ['', 'w'], categories: [''] });
  });

  const schemas: [string, object, object][] = [
    ['null in a list of names is an empty name', { required: [null] }, { required: [''] }],
    ['null in a list of values is a value', { enum: [null, 'a'] }, { enum: [null, 'a'] }],
    ['empty lists and maps are left out', { required: [], properties: {}, enum: [] }, {}],
    ['false and empty strings are left out', { nullable: false, type: '', pattern: '' }, {}],
    [
      'items that are neither a schema nor schemas are dropped',
      { items: [], not: { items: true } },
      { not: {} },
    ],
    ['null in a list of schemas is an empty schema', { allOf: [null] }, { allOf: [{}] }],
    ['pointers keep their zero', { minimum: 0, maxLength: 0 }, { minimum: 0, maxLength: 0 }],
    [
      'a pointer to a boolean keeps false',
      { 'x-kubernetes-preserve-unknown-fields': false },
      { 'x-kubernetes-preserve-unknown-fields': false },
    ],
    ['a null default is no default', { default: null, type: 'string' }, { type: 'string' }],
    ['a default keeps its empty values', { default: { a: [], b: '' } }, { default: { a: [], b: '' } }],
    [
      'schemas below items, maps and junctors take the form too',
      {
        items: { nullable: false, type: 'object' },
        properties: { a: { required: [] } },
        anyOf: [{ enum: [] }],
        not: { title: '' },
        additionalProperties: true,
      },
      { items: { type: 'object' }, properties: { a: {} }, anyOf: [{}], not: {}, additionalProperties: true },
    ],
    [
      'a property may have any name',
      JSON.parse('{"properties":{"__proto__":{"type":"string"}}}'),
      JSON.parse('{"properties":{"__proto__":{"type":"string"}}}'),
    ],
  ];
  test.each(schemas)('%s', (_name, schema, expected) => {
    const object = { spec: { versions: [{ name: 'v1', schema: { openAPIV3Schema: schema } }] } };
    finish(roundTrip(object));
    expect(object.spec.versions[0]?.schema.openAPIV3Schema).toStrictEqual(expected);
  });
});
