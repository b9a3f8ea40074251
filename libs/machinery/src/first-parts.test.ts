import { expect, it } from 'vitest';
import { firstParts } from './first-parts.ts';
import type { JsonValue } from './json-object.ts';
import { finish } from './passes.ts';

const value: JsonValue = { b: [1, { c: 'd' }, []], a: { e: null } };

it.each<[limit: number, first: JsonValue, isWhole: boolean]>([
  [0, {}, false],
  [1, { b: [] }, false],
  [3, { b: [1, {}] }, false],
  [5, { b: [1, { c: 'd' }, []] }, false],
  [6, { b: [1, { c: 'd' }, []], a: {} }, false],
  [7, value, true],
])('the first %d members and items', (limit, first, isWhole) => {
  const result = finish(firstParts(value, limit));
  expect(result).toEqual({ value: first, isWhole });
  expect(result.value).not.toBe(value);
});

it('copies a scalar, and a member of any name', () => {
  expect(finish(firstParts('x', 0))).toEqual({ value: 'x', isWhole: true });
  const named = JSON.parse('{"__proto__": {"a": 1}}') as JsonValue;
  expect(JSON.stringify(finish(firstParts(named, 2)).value)).toBe('{"__proto__":{"a":1}}');
});

it('lists the names of an object with many members in passes', () => {
  const wide = Object.fromEntries(Array.from({ length: 2000 }, (_, i) => [`k${i}`, i]));
  expect([...firstParts(wide, 10)].length).toBeGreaterThan(0);
});
