import { defineResource } from './define-resource.ts';

/** The schema of the spec of a box. */
export const spec = { type: 'object', properties: { size: { type: 'integer', minimum: 1 } } } as const;
export const boxes = defineResource({
  version: 'v1',
  kind: 'Box',
  plural: 'boxes',
  schema: {
    type: 'object',
    properties: { spec, status: { type: 'object', properties: { full: { type: 'boolean' } } } },
  },
});
/** An older version of boxes, stored as the newer one. */
export const oldBoxes = defineResource({
  version: 'v1alpha1',
  kind: 'Box',
  plural: 'boxes',
  schema: { type: 'object', properties: { size: { type: 'integer' } } },
  storedAs: {
    version: 'v1',
    to: ({ size }) => ({ metadata: {}, spec: { size } }),
    from: (stored) => ({ metadata: {}, size: (stored.spec as { size: number }).size }),
  },
});
export const shelves = defineResource({
  version: 'v1',
  kind: 'Shelf',
  plural: 'shelves',
  scope: 'Cluster',
  schema: { type: 'object', properties: { spec: { type: 'object', properties: {} } } },
});
