import { defineResource, fieldErrors, runExtensionServer } from '@annex/sdk';

const greetings = defineResource({
  version: 'v1alpha1',
  kind: 'Greeting',
  shortNames: ['hi'],
  schema: {
    type: 'object',
    required: ['spec'],
    properties: {
      spec: {
        type: 'object',
        required: ['name'],
        properties: {
          name: { type: 'string', minLength: 1, description: 'Who is greeted.' },
          language: { type: 'string', enum: ['en', 'de', 'fr'], default: 'en' },
        },
      },
      status: {
        type: 'object',
        properties: { text: { type: 'string', description: 'What is said.' } },
      },
    },
  },
  columns: [
    { name: 'Language', value: ({ spec }) => spec.language },
    { name: 'Text', value: ({ status }) => status?.text },
  ],
  selectableFields: { 'spec.language': ({ spec }) => spec.language },
  // `spec` and `status` have the types of the schema.
  prepare(greeting) {
    const hello = { en: 'Hello', de: 'Hallo', fr: 'Bonjour' }[greeting.spec.language];
    greeting.status = { text: `${hello}, ${greeting.spec.name}!` };
  },
  validate: ({ spec }, old) =>
    old && old.spec.name !== spec.name
      ? [fieldErrors.forbidden('spec.name', 'the name cannot be changed')]
      : [],
});

process.exit(
  await runExtensionServer({ name: 'hello-extension', group: 'hello.example.com', resources: [greetings] }),
);
