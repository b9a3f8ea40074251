import { describe, expect, expectTypeOf, it } from 'vitest';
import { defineResource, type ResourceDefinition } from './define-resource.ts';
import type { ValueOf } from './schema-type.ts';

const object = { type: 'object', properties: {} } as const;

describe('a definition', () => {
  it('makes the plural of the kind', () => {
    expect(defineResource({ version: 'v1', kind: 'Greeting', schema: object }).plural).toBe('greetings');
  });

  it.each<[string, Partial<ResourceDefinition>, string]>([
    ['a version that is no label', { version: '1' }, 'version: a DNS-1035 label'],
    ['a plural that is no label', { plural: 'Boxes' }, 'plural "Boxes": a DNS-1035 label'],
    ['a kind that is no word', { kind: 'My Box' }, 'kind "my box": a DNS-1035 label'],
    ['a short name that is no label', { shortNames: ['b', 'b!'] }, 'shortNames "b!": a DNS-1035 label'],
    ['a category that is no label', { categories: ['All'] }, 'categories "All": a DNS-1035 label'],
    ['a status that would be pruned', { status: true }, 'status: the schema has no property status'],
    [
      'a schema that is not structural',
      { schema: { type: 'object', properties: { a: {} } } },
      'schema.properties[a].type: Required value',
    ],
    [
      'rules that do not compile',
      {
        schema: {
          type: 'object',
          properties: { a: { type: 'string', 'x-kubernetes-validations': [{ rule: 'self.size() > "1"' }] } },
        },
      },
      'schema.properties[a].x-kubernetes-validations[0].rule: compilation failed',
    ],
  ])('refuses %s', (_name, mistake, text) => {
    const definition = { version: 'v1', kind: 'Box', plural: 'boxes', schema: object, ...mistake };
    expect(() => defineResource(definition as ResourceDefinition)).toThrow(text);
  });
});

describe('the type of a schema', () => {
  it('has the fields of the schema, those with a default or a requirement always', () => {
    type Spec = ValueOf<{
      type: 'object';
      required: readonly ['name'];
      properties: {
        name: { type: 'string' };
        size: { type: 'integer'; default: 1 };
        color: { type: 'string'; enum: readonly ['red', 'green'] };
        tags: { type: 'array'; items: { type: 'string' } };
        labels: { type: 'object'; additionalProperties: { type: 'string' } };
        note: { type: 'string'; nullable: true };
      };
    }>;
    expectTypeOf<Spec['name']>().toEqualTypeOf<string>();
    expectTypeOf<Spec['size']>().toEqualTypeOf<number>();
    expectTypeOf<Spec['color']>().toEqualTypeOf<'red' | 'green' | undefined>();
    expectTypeOf<Spec['tags']>().toEqualTypeOf<string[] | undefined>();
    expectTypeOf<Spec['labels']>().toEqualTypeOf<Record<string, string> | undefined>();
    expectTypeOf<Spec['note']>().toEqualTypeOf<string | null | undefined>();
  });
});
