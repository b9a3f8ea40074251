import { finish, type Passes } from '@annex/machinery';
import fc from 'fast-check';
import { expect, it, test } from 'vitest';
import { FieldSet } from './field-set.ts';
import { differenceInPasses, intersectionInPasses, unionInPasses } from './field-set-passes.ts';

type Operation = 'union' | 'intersection' | 'difference';
const inPasses: Record<Operation, (a: FieldSet, b: FieldSet, atOnce?: number) => Passes<FieldSet>> = {
  union: unionInPasses,
  intersection: intersectionInPasses,
  difference: differenceInPasses,
};

const sets = fc
  .array(fc.array(fc.constantFrom('a', 'b', '__proto__', 'c'), { minLength: 1, maxLength: 4 }), {
    maxLength: 12,
  })
  .map((paths) => FieldSet.of(...paths));

const items = (from: number) =>
  FieldSet.of(...Array.from({ length: 5000 }, (_, i) => ['spec', `a${from + i}`, 'b']));
const members = (from: number) =>
  FieldSet.of(['a'], ...Array.from({ length: 5000 }, (_, i) => ['spec', 'a', `a${from + i}`]));

test.each<Operation>(['union', 'intersection', 'difference'])(
  'the %s in passes is that at once',
  (operation) => {
    fc.assert(
      fc.property(sets, sets, fc.nat(6), (a, b, atOnce) => {
        const expected = a[operation](b);
        const result = finish(inPasses[operation](a, b, atOnce));
        expect(result.toString()).toBe(expected.toString());
        expect(result === a).toBe(expected === a);
        expect(result === b).toBe(expected === b);
      }),
    );
  },
);

it.each<[Operation, string, (from: number) => FieldSet]>([
  ['union', 'items', items],
  ['union', 'members', members],
  ['intersection', 'items', items],
  ['intersection', 'members', members],
  ['difference', 'items', items],
  ['difference', 'members', members],
])('the %s of many %s has passes', (operation, _what, of) => {
  let passes = 0;
  for (const _ of inPasses[operation](of(0), of(2500))) passes++;
  expect(passes).toBeGreaterThan(8);
});

test('the union of few paths with many has passes', () => {
  let passes = 0;
  for (const _ of unionInPasses(FieldSet.of(['spec', 'a', 'b']), members(0))) passes++;
  expect(passes).toBeGreaterThan(8);
});
