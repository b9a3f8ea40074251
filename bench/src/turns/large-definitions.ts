import { type Definition, definitionOf } from '../definition.ts';
import { byKey, group, textOf } from './large-objects.ts';

const itemSchema = {
  type: 'object',
  required: ['name'],
  properties: {
    name: { type: 'string', maxLength: 50 },
    size: { type: 'integer', minimum: 0 },
    note: { type: 'string', maxLength: 300 },
    protocol: { type: 'string', default: 'TCP' },
    tags: { type: 'array', items: { type: 'string' }, maxItems: 10 },
  },
};
const rules = [{ rule: 'self.all(item, item.size >= 0)', message: 'negative' }];
const listOf = (more: object = {}) => ({
  type: 'object',
  properties: { items: { type: 'array', maxItems: 10_000, items: itemSchema, ...more } },
});

const specs: [plural: string, kind: string, spec: object][] = [
  ['texts', 'Text', { type: 'object', properties: { text: { type: 'string' } } }],
  ['lists', 'List5000', listOf({ 'x-kubernetes-validations': rules })],
  ['keyed', 'Keyed', listOf({ 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'] })],
  ['free', 'Free', { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }],
  ['converted', 'Converted', listOf()],
  ['hooked', 'Hooked', listOf()],
  ['ruled', 'Ruled', listOf()],
  ['extended', 'Extended', { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }],
  ['policed', 'Policed', listOf()],
];

/** The CustomResourceDefinitions of the shapes; some are converted by a webhook. */
export const definitions = (webhook: object): Definition[] =>
  specs.map(([plural, kind, spec]) => {
    const schema = { type: 'object', properties: { spec, status: { type: 'object' } } };
    const conversion = {
      strategy: 'Webhook',
      webhook: { clientConfig: webhook, conversionReviewVersions: ['v1'] },
    };
    const converted = plural === 'converted' ? { versions: ['v1', 'v2'], conversion } : {};
    return definitionOf({ group, plural, kind, schema, ...converted });
  });

/** A definition of about one megabyte. */
export function largeDefinition(): Definition {
  const branch = (i: number) => ({
    type: 'object',
    description: `Branch ${i}.`,
    properties: byKey(100, (j) => [
      `property${j}`,
      { type: j % 2 === 0 ? 'string' : 'integer', description: `Property ${j} of ${i}: ${textOf(20)}` },
    ]),
  });
  const spec = { type: 'object', properties: byKey(120, (i) => [`branch${i}`, branch(i)]) };
  return definitionOf({
    group: `huge.${group}`,
    plural: 'huges',
    schema: { type: 'object', properties: { spec } },
    hasStatus: false,
  });
}
