import { describe, expect, it } from 'vitest';
import { repetitions } from './repetitions.ts';

/** Returns the indexes of the values that were there before. */
function indexesOf(values: readonly unknown[]): number[] {
  const isRepeated = repetitions();
  return values.flatMap((value, index) => (isRepeated(value) ? [index] : []));
}

describe('values that were there before', () => {
  it.each<[why: string, values: unknown[], indexes: number[]]>([
    ['none of no values', [], []],
    ['none of values that differ', ['a', 'b', 1, '1', undefined], []],
    ['each one but the first', ['a', 'b', 'a', 'b', 'a'], [2, 3, 4]],
  ])('are %s', (_why, values, indexes) => expect(indexesOf(values)).toEqual(indexes));

  it('are found in linear time', () => {
    const values = Array.from({ length: 500_000 }, (_, i) => `k${i}`);
    expect(indexesOf([...values, 'k3'])).toEqual([500_000]);
  });
});
