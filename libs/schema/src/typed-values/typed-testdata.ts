import type { KubeObject } from '@annex/machinery';
import type { SchemaNode } from '../node.ts';

/** Schemas and objects that the tests of merges share. */
export const text: SchemaNode = { type: 'string' };
export const integer: SchemaNode = { type: 'integer' };

export const struct = (properties: Record<string, SchemaNode>, more: SchemaNode = {}): SchemaNode => ({
  type: 'object',
  properties: new Map(Object.entries(properties)),
  ...more,
});
export const set = (items: SchemaNode = text): SchemaNode => ({ type: 'array', listType: 'set', items });
export const list = (items: SchemaNode = text): SchemaNode => ({ type: 'array', items });
export const listMap = (keys: string[], properties: Record<string, SchemaNode>): SchemaNode => ({
  type: 'array',
  listType: 'map',
  listMapKeys: keys,
  items: struct(properties),
});

/** A custom resource with every kind of list and map below `spec`. */
export const toySchema: SchemaNode = struct({
  apiVersion: text,
  kind: text,
  metadata: { type: 'object' },
  spec: struct({
    size: integer,
    color: text,
    map: listMap(['name'], { name: text, v: text, w: text }),
    ports: listMap(['port', 'protocol'], {
      port: integer,
      protocol: { ...text, default: 'TCP' },
      name: text,
    }),
    set: set(),
    atomic: list(),
    gran: struct({ a: text, b: text }),
    atom: struct({ a: text, b: text }, { mapType: 'atomic' }),
    free: { type: 'object', additionalProperties: text },
    any: { type: 'object', preserveUnknownFields: true },
    intOrString: { intOrString: true },
    template: { type: 'object', embeddedResource: true, preserveUnknownFields: true },
  }),
  status: struct({ phase: text, n: integer }),
});

export const apiVersion = 'example.com/v1';
export const toy = (spec?: unknown, metadata: KubeObject['metadata'] = {}): KubeObject => ({
  apiVersion,
  kind: 'Toy',
  metadata: { name: 'a', ...metadata },
  ...(spec === undefined ? {} : { spec }),
});

/** Returns the object as stored. */
export const stored = (object: KubeObject): KubeObject => ({
  ...object,
  metadata: { ...object.metadata, uid: 'u', resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z' },
});
