import type { KubeObject } from '@annex/machinery';
import { expect, it } from 'vitest';
import { withCreator } from './created-fields.ts';

const creator = { manager: 'kube-apiserver', now: Date.UTC(2026, 0, 2) };
const fieldsOf = (object: object, owned?: Record<string, never>) =>
  withCreator({ apiVersion: 'v1', ...object } as KubeObject, creator, owned).metadata.managedFields;

it.each([
  [
    'labels and no status',
    { metadata: { name: 'a', labels: { 'x/y': 'b' } }, status: { phase: 'Active' } },
    { 'f:metadata': { 'f:labels': { '.': {}, 'f:x/y': {} } } },
  ],
  ['a map', { metadata: { name: 'a' }, data: { b: '' } }, { 'f:data': { '.': {}, 'f:b': {} } }],
  [
    'members of structs, pointers with their members, and whole lists',
    {
      metadata: { name: 'a' },
      spec: { parentRef: { name: 'b' }, priorityLevelConfiguration: { name: 'c' }, rules: [{}] },
    },
    {
      'f:spec': {
        'f:parentRef': { '.': {}, 'f:name': {} },
        'f:priorityLevelConfiguration': { 'f:name': {} },
        'f:rules': {},
      },
    },
  ],
])('the creator of an object owns %s', (_, object, fieldsV1) => {
  expect(fieldsOf(object)).toEqual([
    {
      manager: 'kube-apiserver',
      operation: 'Update',
      apiVersion: 'v1',
      time: '2026-01-02T00:00:00Z',
      fieldsType: 'FieldsV1',
      fieldsV1,
    },
  ]);
});

it('the creator of an object owns only the named fields, if there are any', () => {
  expect(fieldsOf({ metadata: { name: 'a' }, spec: { a: 1 } }, {})?.[0]?.fieldsV1).toEqual({});
});
