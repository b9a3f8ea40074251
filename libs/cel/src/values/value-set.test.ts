import { describe, expect, it } from 'vitest';
import { equals } from './equality.ts';
import { ValueSet } from './value-set.ts';
import { double, Uint, type Value } from './value.ts';

const [safe, beyond] = [Number.MAX_SAFE_INTEGER, 2n ** 53n];
const values: readonly Value[] = [
  'a',
  '1',
  'true',
  1,
  new Uint(1),
  double(1),
  1.5,
  double(-0),
  0,
  true,
  false,
  null,
  NaN,
  Infinity,
  safe,
  double(safe),
  beyond,
  beyond + 1n,
  new Uint(beyond),
  double(Number(beyond)),
  -beyond,
  [1, 'a'],
  [double(1), 'a'],
  { a: 1 },
  { a: new Uint(1) },
  new Uint8Array([1]),
];

describe('a set of values', () => {
  it.each(values.map((value) => ({ value })))('has $value if an element is equal', ({ value }) => {
    for (const element of values) {
      const set = new ValueSet(['x', element, [2]]);
      expect(set.has(value)).toBe(equals(element, value));
      expect(set.add(value)).toBe(!equals(element, value));
    }
  });
});
