import type { ManagedFieldsEntry } from '@annex/machinery';
import { expect, test } from 'vitest';
import { parentManagedFields, scaleManagedFields } from './managed-fields-scale.ts';

const paths = new Map([
  ['g.io/v1', ['spec', 'replicas']],
  ['g.io/v2', ['spec', 'size', 'count']],
  ['g.io/v3', undefined],
]);

const entry = (manager: string, more: Partial<ManagedFieldsEntry>): ManagedFieldsEntry => ({
  manager,
  operation: 'Apply',
  apiVersion: 'g.io/v1',
  fieldsType: 'FieldsV1',
  ...more,
});
const replicas = { 'f:spec': { 'f:replicas': {} } };
const both = { 'f:spec': { 'f:color': {}, 'f:replicas': {} } };
const color = { 'f:spec': { 'f:color': {} } };
const time = '2026-01-02T03:04:05Z';

const onScale = (manager: string, more: Partial<ManagedFieldsEntry> = {}) =>
  entry(manager, { apiVersion: 'autoscaling/v1', fieldsV1: replicas, ...more });

test.each<[string, ManagedFieldsEntry[], ManagedFieldsEntry[] | undefined]>([
  ['nobody if the replicas have no owner', [entry('a', { fieldsV1: color })], undefined],
  [
    'only the owner of the replicas, with the time',
    [entry('a', { fieldsV1: both, time })],
    [onScale('a', { time })],
  ],
  [
    'the owner in a version with another path of the replicas',
    [entry('a', { apiVersion: 'g.io/v2', fieldsV1: { 'f:spec': { 'f:size': { 'f:count': {} } } } })],
    [onScale('a')],
  ],
  ['nobody of a version without a scale', [entry('a', { apiVersion: 'g.io/v3', fieldsV1: both })], undefined],
])('the Scale shows %s', (_name, parent, scale) => {
  expect(scaleManagedFields(parent, paths)).toEqual(scale);
});

test.each<[string, ManagedFieldsEntry[], ManagedFieldsEntry[], ManagedFieldsEntry[] | undefined]>([
  [
    'stays unchanged if the owner stays',
    [entry('a', { fieldsV1: both, time })],
    [onScale('a')],
    [entry('a', { fieldsV1: both, time })],
  ],
  [
    'follows a change of ownership on the Scale, with a new owner without a time',
    [entry('a', { fieldsV1: both, time })],
    [onScale('b', { subresource: 'scale', time })],
    [entry('b', { fieldsV1: replicas, subresource: 'scale' }), entry('a', { fieldsV1: color, time })],
  ],
  ['drops an owner of nothing else', [entry('a', { fieldsV1: replicas })], [], undefined],
  ['drops unknown versions', [entry('a', { apiVersion: 'old.io/v1', fieldsV1: color })], [], undefined],
  [
    'keeps the managers of a version without a scale',
    [entry('a', { apiVersion: 'g.io/v3', fieldsV1: color })],
    [],
    [entry('a', { apiVersion: 'g.io/v3', fieldsV1: color })],
  ],
  [
    'gives an update of the Scale to the version it was made through',
    [],
    [onScale('u', { operation: 'Update', subresource: 'scale', time })],
    [entry('u', { operation: 'Update', fieldsV1: replicas, subresource: 'scale' })],
  ],
])('the object %s', (_name, parent, scale, expected) => {
  expect(parentManagedFields(parent, scale, paths, 'g.io/v1')).toEqual(expected);
});
