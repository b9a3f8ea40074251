import { deepCopy, type KubeObject } from '@annex/machinery';
import { describe, expect, test } from 'vitest';
import { isSortedJson, sortedJson } from '../sorted-json.ts';
import { FieldSet } from './field-set.ts';
import { fieldSetFromJson, fieldSetToJson } from './field-set-json.ts';
import { copyObject, isSortedObject, sortedObject } from './shared-fields.ts';

const entry = (fieldsV1: object) => ({ manager: 'm', operation: 'Update', apiVersion: 'v1', fieldsV1 });
const object = (metadata: object, rest: object = {}) => ({ metadata, ...rest }) as unknown as KubeObject;

const sortedFields = { 'f:a': {}, 'f:b': { '.': {}, 'f:c': {} } };
const unsortedFields = { 'k:{"name":"a"}': {}, 'f:b': { 'f:d': {}, 'f:c': {} } };

describe.each([
  ['without managedFields', object({ name: 'a', labels: { b: '1', a: '2' } })],
  ['with fields in order', object({ uid: 'u', managedFields: [entry(sortedFields)], name: 'a' }, { a: 1 })],
  ['with fields in another order', object({ managedFields: [entry(unsortedFields), entry(sortedFields)] })],
  ['with empty managedFields', object({ managedFields: [] })],
  [
    'with entries that cannot be decoded',
    object({ managedFields: [null, entry([1]), { fieldsV1: null }, {}] }),
  ],
  ['with managedFields that are no list', object({ managedFields: { b: 1, a: 2 } }, { b: { d: 1, c: 2 } })],
])('an object %s', (_, original) => {
  test('is copied like any value', () => {
    const before = JSON.stringify(original);
    const copy = copyObject(original);
    expect(JSON.stringify(copy)).toBe(before);
    expect(copy).not.toBe(original);
    expect(copy.metadata).not.toBe(original.metadata);
    expect(JSON.stringify(sortedObject(original))).toBe(
      JSON.stringify(sortedJson(deepCopy(original) as never)),
    );
    expect(JSON.stringify(original)).toBe(before);
  });

  test('is found sorted like any value', () => {
    expect(isSortedObject(original)).toBe(isSortedJson(original as never));
    expect(isSortedObject(sortedObject(original))).toBe(true);
  });
});

const fieldsOf = (of: KubeObject) => of.metadata.managedFields?.map(({ fieldsV1 }) => fieldsV1);

test('copies share the fieldsV1, and sorted copies those that are sorted', () => {
  const original = object({ managedFields: [entry(sortedFields), entry(unsortedFields)] });
  const copied = fieldsOf(copyObject(original)) ?? [];
  expect(copied[0]).toBe(sortedFields);
  expect(copied[1]).toBe(unsortedFields);
  const [first, second] = [sortedObject(original), sortedObject(copyObject(original))].map(fieldsOf);
  expect(first?.[0]).toBe(sortedFields);
  expect(first?.[1]).not.toBe(unsortedFields);
  expect(second?.[1]).toBe(first?.[1]);
});

test('the set of fields that were sorted is known', () => {
  const set = FieldSet.of(['spec', 'size'], ['metadata', 'labels']);
  set.add('k:{"name":"a"}');
  set.add('i:1');
  const fields = fieldSetToJson(set);
  const [sorted] = fieldsOf(sortedObject(object({ managedFields: [entry(fields)] }))) ?? [];
  expect(sorted).not.toBe(fields);
  expect(fieldSetFromJson(sorted as object as Record<string, unknown>)).toBe(set);
});
