import { describe, expect, it } from 'vitest';
import { repeatedIndexes } from './field.ts';

describe('values that are in a list before', () => {
  it.each<[why: string, values: unknown[], indexes: number[]]>([
    ['none of no values', [], []],
    ['none of values that differ', ['a', 'b', 1, '1'], []],
    ['each one but the first', ['a', 'b', 'a', 'b', 'a'], [2, 3, 4]],
  ])('are %s', (_, values, indexes) => expect([...repeatedIndexes(values)]).toEqual(indexes));

  it('are found in linear time', () => {
    const values = Array.from({ length: 500_000 }, (_, i) => `k${i}`);
    expect([...repeatedIndexes([...values, 'k3'])]).toEqual([500_000]);
  });
});
