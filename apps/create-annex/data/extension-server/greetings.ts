import { defineResource, fieldErrors } from '@annex/sdk';

/** The API group. */
export const group = 'hello.example.com';

export const greetings = defineResource({
  version: 'v1',
  kind: 'Greeting',
  schema: {
    type: 'object',
    required: ['spec'],
    properties: {
      spec: {
        type: 'object',
        required: ['name'],
        properties: {
          name: { type: 'string', minLength: 1 },
          language: { type: 'string', enum: ['en', 'de', 'fr'], default: 'en' },
        },
      },
      status: { type: 'object', properties: { text: { type: 'string' } } },
    },
  },
  columns: [{ name: 'Text', value: ({ status }) => status?.text }],
  // Called before validation. The object has the types of the schema.
  prepare(greeting) {
    const hello = { en: 'Hello', de: 'Hallo', fr: 'Bonjour' }[greeting.spec.language];
    greeting.status = { text: `${hello}, ${greeting.spec.name}!` };
  },
  validate: ({ spec }, old) =>
    old && old.spec.name !== spec.name
      ? [fieldErrors.forbidden('spec.name', 'the name cannot be changed')]
      : [],
});
