import type { JsonValue } from '@annex/machinery';
import { expect, test } from 'vitest';
import { toy, toySchema } from '../typed-values/typed-testdata.ts';
import { objectMergeType } from '../typed-values/typed-schema.ts';
import { FieldSet } from './field-set.ts';
import { trackUpdate } from './managed-fields-update.ts';
import { maxOwnedShapes, sharedDifference, sharedFieldSet } from './shared-field-sets.ts';

const type = objectMergeType(toySchema);
const place = (spec: unknown) => sharedFieldSet('fields', toy(spec) as unknown as JsonValue, type);
const create = (spec: unknown, manager = 'm') =>
  trackUpdate({ schema: toySchema, apiVersion: 'example.com/v1', manager, updated: toy(spec), now: 0 })
    .metadata.managedFields?.[0];

test('objects of the same shape share the encoded fields of their creators', () => {
  const first = create({ color: 'x' });
  expect(first?.fieldsV1).toEqual({ 'f:spec': { '.': {}, 'f:color': {} } });
  expect(create({ color: 'y' }, 'other')?.fieldsV1).toBe(first?.fieldsV1);
  expect(create({ color: 'y', size: 1 })?.fieldsV1).toEqual({
    'f:spec': { '.': {}, 'f:color': {}, 'f:size': {} },
  });
});

test('a create of an invalid object has no owners, also after a valid one', () => {
  expect(create({ size: 1 })).toBeDefined();
  expect(create({ size: 'x' })).toBeUndefined();
  expect(create({ size: 'y' })).toBeUndefined();
  expect(create({ size: 2 })).toBeDefined();
});

test('fields and creates of one shape are different sets', () => {
  const value = toy({ any: {} }) as unknown as JsonValue;
  const set = FieldSet.of(['spec']);
  sharedFieldSet('fields', value, type).save(set);
  expect(sharedFieldSet('fields', value, type).set).toBe(set);
  expect(sharedFieldSet('create', value, type).set).not.toBe(set);
});

test('one shape more than maxOwnedShapes empties the cache', () => {
  for (let i = 0; i <= maxOwnedShapes; i++) place({ set: [`evicted ${i}`] }).save(new FieldSet());
  expect(place({ set: ['evicted 0'] }).set).toBeUndefined();
  expect(place({ set: [`evicted ${maxOwnedShapes}`] }).set).toBeDefined();
});

test('a shared difference is computed once', () => {
  const set = FieldSet.of(['spec'], ['spec', 'a'], ['status']);
  const constant = FieldSet.of(['spec']);
  const difference = sharedDifference(set, constant, 'difference');
  expect(difference.toString()).toBe('.status\n.spec.a');
  expect(sharedDifference(set, constant, 'difference')).toBe(difference);
  expect(sharedDifference(set, constant, 'recursiveDifference').toString()).toBe('.status');
  expect(sharedDifference(set, new FieldSet(), 'difference')).toBe(set);
});
