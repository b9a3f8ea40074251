import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type Claim, divideConcurrency } from './concurrency.ts';

const claim = (target: number, lowerBound: number, upperBound: number): Claim => ({
  target,
  lowerBound,
  upperBound,
});

it.each<[string, number, Claim[], number[]]>([
  [
    'without effective bounds, in proportion to the targets',
    30,
    [claim(1, 0, 100), claim(2, 0, 100)],
    [10, 20],
  ],
  ['what an upper bound leaves goes to the others', 30, [claim(1, 0, 100), claim(2, 0, 5)], [25, 5]],
  ['a lower bound is kept', 30, [claim(20, 20, 100), claim(20, 0, 100)], [20, 10]],
  ['a lower bound above the proportion', 30, [claim(25, 25, 100), claim(50, 0, 100)], [25, 5]],
  ['no demand at all', 10, [claim(0, 0, 100), claim(0, 0, 100)], [5, 5]],
  ['bounds that add up to more than there is', 10, [claim(8, 8, 9), claim(8, 8, 9)], [8, 8]],
  ['bounds that add up to less than there is', 100, [claim(8, 8, 9), claim(8, 8, 9)], [9, 9]],
  ['nobody', 10, [], []],
])('%s', (_what, total, claims, parts) => {
  expect(divideConcurrency(total, claims).map((part) => Math.round(part * 1e6) / 1e6)).toEqual(parts);
});

const anyClaim = fc
  .record({
    lower: fc.integer({ min: 0, max: 100 }),
    more: fc.integer({ min: 0, max: 300 }),
    target: fc.float({ min: 0, max: 500, noNaN: true }),
  })
  .map(({ lower, more, target }) => claim(Math.max(target, lower), lower, lower + more));

it('parts are within their bounds, and add up to the total if the bounds permit it', () => {
  fc.assert(
    fc.property(
      fc.array(anyClaim, { minLength: 1, maxLength: 12 }),
      fc.integer({ min: 0, max: 2000 }),
      (claims, total) => {
        const parts = divideConcurrency(total, claims);
        const sum = (of: readonly number[]) => of.reduce((all, part) => all + part, 0);
        parts.forEach((part, i) => {
          expect(part).toBeGreaterThanOrEqual(claims[i]!.lowerBound);
          expect(part).toBeLessThanOrEqual(claims[i]!.upperBound);
        });
        const least = sum(claims.map(({ lowerBound }) => lowerBound));
        const most = sum(claims.map(({ upperBound }) => upperBound));
        expect(sum(parts)).toBeCloseTo(Math.min(Math.max(total, least), most), 4);
      },
    ),
  );
});
