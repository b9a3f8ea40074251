import { definitionOf } from './definition.ts';

/** The version of the custom resources of a run. */
export const version = 'v1';

export const widgetSchema = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      required: ['size'],
      properties: {
        size: { type: 'integer', minimum: 0 },
        colour: { type: 'string', enum: ['red', 'green', 'blue'], default: 'red' },
        note: { type: 'string', maxLength: 1000 },
        owner: { type: 'string', pattern: '^[a-z0-9-]+$' },
        ports: {
          type: 'array',
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['name'],
          items: {
            type: 'object',
            required: ['name'],
            properties: {
              name: { type: 'string' },
              port: { type: 'integer' },
              protocol: { type: 'string', default: 'TCP' },
            },
          },
        },
      },
    },
    status: { type: 'object', properties: { phase: { type: 'string' }, seen: { type: 'integer' } } },
  },
};

/** Returns the body of a CustomResourceDefinition. */
export const definition = (group: string, plural: string): string =>
  JSON.stringify(definitionOf({ group, plural, schema: widgetSchema, versions: [version] }));

const ports = Array.from({ length: 8 }, (_, i) => ({ name: `port-${i}`, port: 8000 + i }));
const note = 'a sentence of some length about a widget; '.repeat(8);
const spec = (size: number) => ({ size, note, owner: 'the-bench', ports });

/** Returns the body of a custom resource of about one kilobyte. */
export function widget(group: string, kind: string, name: string, size: number): string {
  return JSON.stringify({
    apiVersion: `${group}/${version}`,
    kind,
    metadata: { name, labels: { app: 'bench' } },
    spec: spec(size),
  });
}

/** The body of an access review. */
export const accessReview = JSON.stringify({
  apiVersion: 'authorization.k8s.io/v1',
  kind: 'SubjectAccessReview',
  spec: {
    user: 'somebody',
    groups: ['system:authenticated', 'some-group'],
    resourceAttributes: {
      namespace: 'default',
      verb: 'list',
      group: 'apps',
      version: 'v1',
      resource: 'deployments',
    },
  },
});
