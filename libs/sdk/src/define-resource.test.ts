import { describe, expect, expectTypeOf, it } from 'vitest';
import { defineResource } from './define-resource.ts';
import type { Resource, ResourceDefinition } from './resource-definition.ts';
import type { InputOf, ObjectOf, Schema, ValueOf } from './schema-type.ts';

const object = { type: 'object', properties: {} } as const;

describe('a definition', () => {
  it('derives the plural from the kind', () => {
    expect(defineResource({ version: 'v1', kind: 'Greeting', schema: object }).plural).toBe('greetings');
  });

  it.each<[string, Partial<ResourceDefinition>, string]>([
    ['a version that is not a label', { version: '1' }, 'version: a DNS-1035 label'],
    ['a plural that is not a label', { plural: 'Boxes' }, 'plural "Boxes": a DNS-1035 label'],
    ['an invalid kind', { kind: 'My Box' }, 'kind "my box": a DNS-1035 label'],
    ['a short name that is not a label', { shortNames: ['b', 'b!'] }, 'shortNames "b!": a DNS-1035 label'],
    ['a category that is not a label', { categories: ['All'] }, 'categories "All": a DNS-1035 label'],
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
  ])('refuses %s', (_name, error, text) => {
    const definition = { version: 'v1', kind: 'Box', plural: 'boxes', schema: object, ...error };
    expect(() => defineResource(definition as ResourceDefinition)).toThrow(text);
  });
});

describe('the type of a schema', () => {
  it('has the fields of the schema; those with a default or a requirement are required', () => {
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

describe('the types of a definition', () => {
  const schema = {
    type: 'object',
    required: ['spec'],
    properties: {
      spec: {
        type: 'object',
        required: ['title'],
        properties: { title: { type: 'string' }, copies: { type: 'integer', default: 1 } },
      },
      status: { type: 'object', properties: { lent: { type: 'integer' } } },
    },
  } as const satisfies Schema;

  it('are those of its schema, in every function', () => {
    const books = defineResource({
      version: 'v1',
      kind: 'Book',
      schema,
      columns: [{ name: 'Title', value: ({ spec }) => expectTypeOf(spec.title).toEqualTypeOf<string>() }],
      selectableFields: { 'spec.title': ({ spec }) => spec.title },
      prepare(book, old) {
        expectTypeOf(book.spec.copies).toEqualTypeOf<number>();
        expectTypeOf(old).toEqualTypeOf<typeof book | undefined>();
        book.status = { lent: 0 };
      },
      scale: { replicas: ({ spec }) => spec.copies, setReplicas: ({ spec }, n) => void (spec.copies = n) },
    });
    expectTypeOf(books).toExtend<Resource<ObjectOf<typeof schema>>>();
    expectTypeOf<InputOf<typeof schema>['spec']['copies']>().toEqualTypeOf<number | undefined>();
  });

  it('refuse fields outside of the schema', () => {
    const definition = { version: 'v1', kind: 'Book', schema } as const;
    // @ts-expect-error there is no such field
    defineResource({ ...definition, prepare: (book) => void book.spec.author });
    // @ts-expect-error it is a number
    defineResource({ ...definition, prepare: (book) => void (book.spec.copies = 'two') });
    // @ts-expect-error the status may be absent
    defineResource({ ...definition, validate: ({ status }) => (status.lent === 0 ? [] : []) });
    // @ts-expect-error selectors compare texts
    defineResource({ ...definition, selectableFields: { 'spec.copies': ({ spec }) => spec.copies } });
    // @ts-expect-error there is no such scope
    defineResource({ ...definition, scope: 'Galaxy' });
    // @ts-expect-error there is no such type
    const invalid = { type: 'text' } as const satisfies Schema;
    expect(invalid.type).toBe('text');
  });
});
