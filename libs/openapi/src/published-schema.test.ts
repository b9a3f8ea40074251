import type { JsonObject } from '@annex/machinery';
import { describe, expect, it } from 'vitest';
import { componentName } from '@annex/kinds';
import { publishedSchemas } from './published-schema.ts';

function published(properties: object, rest: object = {}): Record<string, unknown> {
  const schema = { type: 'object', properties, ...rest } as JsonObject;
  const names = { kind: 'Widget', listKind: 'WidgetList', plural: 'widgets' };
  return publishedSchemas({
    group: 'example.com',
    version: 'v1',
    ...names,
    schema,
    selectableFields: ['.a'],
  });
}
const property = (schema: object): unknown =>
  (published({ a: schema })['com.example.v1.Widget'] as { properties: { a: unknown } }).properties.a;

describe('the published schema of a custom resource', () => {
  it('is named by the reversed group, version and kind', () => {
    expect(componentName('stable.example.com', 'v1', 'CronTab')).toBe('com.example.stable.v1.CronTab');
  });

  it('OAS-003 keeps the whole schema, and adds the common fields of resources', () => {
    const { 'com.example.v1.Widget': schema } = published(
      { a: { type: 'string', nullable: true, default: 'x' } },
      { anyOf: [{ required: ['a'] }] },
    );
    expect(schema).toMatchObject({
      type: 'object',
      anyOf: [{ required: ['a'] }],
      properties: {
        a: { type: 'string', nullable: true, default: 'x' },
        apiVersion: { type: 'string' },
        kind: { type: 'string' },
        metadata: {
          allOf: [{ $ref: '#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta' }],
        },
      },
      'x-kubernetes-group-version-kind': [{ group: 'example.com', kind: 'Widget', version: 'v1' }],
      'x-kubernetes-selectable-fields': [{ fieldPath: 'a' }],
    });
  });

  it('is accompanied by the schema of the list', () => {
    expect(published({})['com.example.v1.WidgetList']).toMatchObject({
      description: 'WidgetList is a list of Widget',
      required: ['items'],
      properties: { items: { items: { $ref: '#/components/schemas/com.example.v1.Widget' } } },
    });
  });

  it.each<[string, object, object]>([
    [
      'IOS-006 spells out int-or-string',
      { 'x-kubernetes-int-or-string': true },
      { anyOf: [{ type: 'integer' }, { type: 'string' }] },
    ],
    [
      'expands int-or-string with another anyOf',
      { 'x-kubernetes-int-or-string': true, anyOf: [{ minimum: 1 }] },
      { allOf: [{ anyOf: [{ type: 'integer' }, { type: 'string' }] }], anyOf: [{ minimum: 1 }] },
    ],
    [
      'requires the type of embedded resources',
      { type: 'object', 'x-kubernetes-embedded-resource': true, required: ['spec'] },
      {
        required: ['spec', 'kind', 'apiVersion'],
        properties: { apiVersion: { type: 'string' }, kind: { type: 'string' } },
      },
    ],
  ])('%s', (_name, schema, expected) => expect(property(schema)).toMatchObject(expected));
});
