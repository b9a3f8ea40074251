import { definitionOf, kindOf } from '../definition.ts';

/** The objects of a page of labels: one in ten. */
export const labels = 10;

const ports = {
  type: 'array',
  maxItems: 20,
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': ['name'],
  items: {
    type: 'object',
    required: ['name'],
    properties: {
      name: { type: 'string', maxLength: 30 },
      port: { type: 'integer', minimum: 1, maximum: 65_535 },
      protocol: { type: 'string', default: 'TCP' },
    },
  },
};

/** A schema with defaults, a list map and a CEL rule. */
const schema = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      required: ['size'],
      properties: {
        size: { type: 'integer', minimum: 0 },
        maxSize: { type: 'integer' },
        colour: { type: 'string', enum: ['red', 'green', 'blue'], default: 'red' },
        note: { type: 'string', maxLength: 2000 },
        owner: { type: 'string', pattern: '^[a-z0-9-]+$' },
        ports,
      },
      'x-kubernetes-validations': [{ rule: 'self.size <= self.maxSize', message: 'size above maxSize' }],
    },
    status: { type: 'object', properties: { phase: { type: 'string' }, seen: { type: 'integer' } } },
  },
};

/** Returns the body of a CustomResourceDefinition. */
export const definition = (group: string, plural: string): string =>
  JSON.stringify(definitionOf({ group, plural, schema }));

const note = 'a sentence of some length about a widget; '.repeat(12);
const entries = Array.from({ length: 8 }, (_, i) => ({ name: `port-${i}`, port: 8000 + i }));

/** Returns the body of a custom resource; its response has two kilobytes. */
export function object(group: string, plural: string, name: string, i: number): string {
  return JSON.stringify({
    apiVersion: `${group}/v1`,
    kind: kindOf(plural),
    metadata: { name, labels: { app: 'bench', part: `part-${i % labels}` } },
    spec: { size: i, maxSize: 1_000_000, note, owner: 'the-bench', ports: entries },
  });
}
