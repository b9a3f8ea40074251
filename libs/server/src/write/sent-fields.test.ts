import type { KubeObject } from '@annex/machinery';
import { describe, expect, test } from 'vitest';
import { maxCachedShapeLength, maxCachedShapes, SentFields, shapeOf } from './sent-fields.ts';

const review = (spec: object, metadata: KubeObject['metadata'] = {}): KubeObject =>
  ({ apiVersion: 'authorization.k8s.io/v1', kind: 'SubjectAccessReview', metadata, spec }) as KubeObject;

describe('two objects have one shape', () => {
  const first = { user: 'ann', groups: ['a'], resourceAttributes: { verb: 'get' } };
  test.each<[string, object, boolean]>([
    [
      'where only values differ',
      { user: 'bob', groups: ['b', 'c'], resourceAttributes: { verb: 'list' } },
      true,
    ],
    ['but not where a field is missing', { user: 'ann', resourceAttributes: { verb: 'get' } }, false],
    ['but not where a value is empty', { ...first, user: '' }, false],
    ['but not where a list is empty', { ...first, groups: [] }, false],
    ['but not where a field is null', { ...first, groups: null }, false],
    [
      'but not where a field stands deeper',
      { user: 'ann', groups: ['a'], resourceAttributes: {}, verb: 'get' },
      false,
    ],
    [
      'but not where a name looks as two',
      { user: 'ann', 'groups l18 resourceAttributes': { verb: 'get' } },
      false,
    ],
  ])('%s', (_, second, same) => {
    expect(shapeOf(review(second), 'kubectl') === shapeOf(review(first), 'kubectl')).toBe(same);
  });
});

test('the manager is part of the shape', () => {
  expect(shapeOf(review({}), 'one')).not.toBe(shapeOf(review({}), 'two'));
});

test.each<[string, KubeObject]>([
  ['metadata says more than a name', review({}, { name: 'a', labels: { a: 'b' } })],
  [
    'an object has very many fields',
    review(Object.fromEntries(Array.from({ length: 999 }, (_, i) => [i, 1]))),
  ],
])('there is no shape where %s', (_, object) => {
  expect(shapeOf(object, 'kubectl')).toBeUndefined();
});

test('what was noted is written again with the present time', () => {
  const fields = new SentFields();
  const entry = { manager: 'm', operation: 'Update', time: '2020-01-01T00:00:00Z' } as const;
  fields.store('shape', review({}, { managedFields: [entry] }));
  const object = review({});
  expect(fields.restore('shape', object, Date.UTC(2021, 1, 3))).toBe(true);
  expect(object.metadata.managedFields).toEqual([{ ...entry, time: '2021-02-03T00:00:00Z' }]);
});

test('that nothing was noted is remembered too', () => {
  const fields = new SentFields();
  fields.store('empty', review({}));
  const object = review({});
  expect(fields.restore('empty', object, 0)).toBe(true);
  expect(object.metadata).toEqual({});
  expect(fields.restore('other', object, 0)).toBe(false);
});

test('one shape more than maxCachedShapes empties the cache', () => {
  const cache = new SentFields();
  const object = review({ user: 'ann' });
  for (let i = 0; i < maxCachedShapes; i++) cache.store(`s${i}`, object);
  expect(cache.restore('s0', object, 0)).toBe(true);
  cache.store('one more', object);
  expect(cache.restore('s0', object, 0)).toBe(false);
});

test('a shape longer than maxCachedShapeLength is not cached', () => {
  const named = (length: number) => shapeOf(review({ ['a'.repeat(length)]: 'b' }), 'm');
  const overhead = named(1000)!.length - 1000;
  expect(named(maxCachedShapeLength - overhead)).toHaveLength(4096);
  expect(named(maxCachedShapeLength - overhead + 1)).toBeUndefined();
});
