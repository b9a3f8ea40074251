import type { KubeObject } from '@annex/machinery';
import { describe, expect, test } from 'vitest';
import { maxCachedShapeLength, maxCachedShapes, SentFields, shapeOf } from './sent-fields.ts';

const review = (spec: object, metadata: KubeObject['metadata'] = {}): KubeObject =>
  ({ apiVersion: 'authorization.k8s.io/v1', kind: 'SubjectAccessReview', metadata, spec }) as KubeObject;

describe('two objects have the same shape', () => {
  const first = { user: 'ann', groups: ['a'], resourceAttributes: { verb: 'get' } };
  test.each<[string, object, boolean]>([
    [
      'if only values differ',
      { user: 'bob', groups: ['b', 'c'], resourceAttributes: { verb: 'list' } },
      true,
    ],
    ['but not if a field is missing', { user: 'ann', resourceAttributes: { verb: 'get' } }, false],
    ['but not if a value is empty', { ...first, user: '' }, false],
    ['but not if a list is empty', { ...first, groups: [] }, false],
    ['but not if a field is null', { ...first, groups: null }, false],
    [
      'but not if a field is deeper',
      { user: 'ann', groups: ['a'], resourceAttributes: {}, verb: 'get' },
      false,
    ],
    [
      'but not if a name looks like two names',
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
  ['metadata has more than a name', review({}, { name: 'a', labels: { a: 'b' } })],
  [
    'an object has very many fields',
    review(Object.fromEntries(Array.from({ length: 999 }, (_, i) => [i, 1]))),
  ],
])('there is no shape if %s', (_, object) => {
  expect(shapeOf(object, 'kubectl')).toBeUndefined();
});

test('a cached entry is written again with the current time', () => {
  const fields = new SentFields();
  const entry = { manager: 'm', operation: 'Update', time: '2020-01-01T00:00:00Z' } as const;
  fields.save('shape', review({}, { managedFields: [entry] }));
  const object = review({});
  expect(fields.restore('shape', object, Date.UTC(2021, 1, 3))).toBe(true);
  expect(object.metadata.managedFields).toEqual([{ ...entry, time: '2021-02-03T00:00:00Z' }]);
});

test('the absence of an entry is cached too', () => {
  const fields = new SentFields();
  fields.save('empty', review({}));
  const object = review({});
  expect(fields.restore('empty', object, 0)).toBe(true);
  expect(object.metadata).toEqual({});
  expect(fields.restore('other', object, 0)).toBe(false);
});

test('one shape more than maxCachedShapes empties the cache', () => {
  const cache = new SentFields();
  const object = review({ user: 'ann' });
  for (let i = 0; i < maxCachedShapes; i++) cache.save(`s${i}`, object);
  expect(cache.restore('s0', object, 0)).toBe(true);
  cache.save('one more', object);
  expect(cache.restore('s0', object, 0)).toBe(false);
});

test('a shape longer than maxCachedShapeLength is not cached', () => {
  const named = (length: number) => shapeOf(review({ ['a'.repeat(length)]: 'b' }), 'm');
  const overhead = named(1000)!.length - 1000;
  expect(named(maxCachedShapeLength - overhead)).toHaveLength(4096);
  expect(named(maxCachedShapeLength - overhead + 1)).toBeUndefined();
});
