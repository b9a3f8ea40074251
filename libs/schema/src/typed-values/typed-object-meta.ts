import type { SchemaNode } from '../node.ts';

const text: SchemaNode = { type: 'string' };
const texts: SchemaNode = { type: 'object', additionalProperties: text };
const time: SchemaNode = { type: 'string', format: 'date-time' };
const integer: SchemaNode = { type: 'integer', format: 'int64' };
const truth: SchemaNode = { type: 'boolean' };

const node = (properties: Record<string, SchemaNode>, more: SchemaNode = {}): SchemaNode => ({
  type: 'object',
  properties: new Map(Object.entries(properties)),
  ...more,
});

/** Strings that Go always serializes; a reference without a uid has an empty key. */
const required: SchemaNode = { type: 'string', default: '' };

const ownerReference = node(
  {
    apiVersion: required,
    blockOwnerDeletion: truth,
    controller: truth,
    kind: required,
    name: required,
    uid: required,
  },
  { mapType: 'atomic' },
);

const managedFieldsEntry = node({
  apiVersion: text,
  fieldsType: text,
  fieldsV1: { type: 'object' },
  manager: text,
  operation: text,
  subresource: text,
  time,
});

/** ObjectMeta of meta/v1, for objects whose schema omits it. */
export const objectMetaNode: SchemaNode = node({
  annotations: texts,
  creationTimestamp: time,
  deletionGracePeriodSeconds: integer,
  deletionTimestamp: time,
  finalizers: { type: 'array', items: text, listType: 'set', patchStrategy: 'merge' },
  generateName: text,
  generation: integer,
  labels: texts,
  managedFields: { type: 'array', items: managedFieldsEntry, listType: 'atomic' },
  name: text,
  namespace: text,
  ownerReferences: {
    type: 'array',
    items: ownerReference,
    listType: 'map',
    listMapKeys: ['uid'],
    patchStrategy: 'merge',
    patchMergeKey: 'uid',
  },
  resourceVersion: text,
  selfLink: text,
  uid: text,
});
