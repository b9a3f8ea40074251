import { expect, it } from 'vitest';
import { readDuration } from './go/duration.ts';
import { compileJsonPath, maxJsonPathValues } from './jsonpath.ts';
import { maxQuantityExponent, validateQuantity } from './quantity.ts';

it.each<[limit: string, within: string[], beyond: string[]]>([
  [
    'maxQuantityExponent',
    validateQuantity(`1e${maxQuantityExponent}`),
    validateQuantity(`1e${maxQuantityExponent + 1}`),
  ],
])('a quantity beyond %s is invalid', (_limit, within, beyond) => {
  expect(within).toEqual([]);
  expect(beyond).toEqual(["unable to parse quantity's suffix"]);
});

it('a duration with more digits than maxDurationDigits is invalid, zeros in front aside', () => {
  expect(readDuration('9223372036854775807ns')).toEqual({ nanoseconds: 9223372036854775807n });
  expect(readDuration(`${'0'.repeat(50_000)}1s`)).toEqual({ nanoseconds: 1_000_000_000n });
  expect(readDuration('10000000000000000000ns')).toEqual({
    error: 'time: invalid duration "10000000000000000000ns"',
  });
});

it('a JSONPath fails beyond maxJsonPathValues', () => {
  const items = (count: number) => Array.from({ length: count }, (_, i) => i);
  const path = compileJsonPath('.items[*]');
  // The object and its list are visited, too, before and after each step.
  expect(path.find({ items: items(maxJsonPathValues - 4) })).toHaveLength(99_996);
  expect(() => path.find({ items: items(maxJsonPathValues + 1) })).toThrow(
    'more than 100000 values are found',
  );
});
