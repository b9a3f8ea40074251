import { expect, it } from 'vitest';
import { limitExceededByText, limitExceededByTextInPasses, limitExceededByValue } from './json-limits.ts';
import { type JsonValue, setOwn } from './json-object.ts';
import { stringifyJson } from './json.ts';
import { finish } from './passes.ts';

const limits = { containers: 5000, members: 3000 };
const list = (length: number, of: (i: number) => JsonValue): JsonValue =>
  Array.from({ length }, (_, i) => of(i));
function members(length: number): JsonValue {
  const object = {};
  for (let i = 0; i < length; i++) setOwn(object, i === 1 ? '__proto__' : `k${i}`, i === 1 ? {} : i);
  return object;
}

it.each<[what: string, value: JsonValue, expected: 'containers' | 'members' | undefined]>([
  ['a scalar', 'x', undefined],
  ['null', null, undefined],
  ['5,000 containers', list(4999, () => []), undefined],
  ['5,001 containers', list(5000, () => ({})), 'containers'],
  ['5,000 containers at two levels', list(1, () => list(4998, () => [])), undefined],
  ['5,001 containers at two levels', list(50, () => list(99, () => [])), 'containers'],
  ['3,000 members', members(3000), undefined],
  ['3,001 members', [[members(3001)]], 'members'],
  ['the first of two limits', [members(3001), list(5000, () => [])], 'members'],
  ['the other one first', [list(5000, () => []), members(3001)], 'containers'],
])('of a value and of its text: %s', (_what, value, expected) => {
  expect(finish(limitExceededByValue(value, limits))).toBe(expected);
  const text = stringifyJson(value);
  expect(limitExceededByText(text, { depth: 10, ...limits })).toBe(expected);
  expect(finish(limitExceededByTextInPasses(text, { depth: 10, ...limits }))).toBe(expected);
});

it('scans a large text in passes, whose limits count for all of it', () => {
  const text = stringifyJson(list(40, () => members(3000)));
  expect([...limitExceededByTextInPasses(text, { depth: 10, ...limits })].length).toBeGreaterThan(10);
  expect(finish(limitExceededByTextInPasses(text, { depth: 10, containers: 81 }))).toBeUndefined();
  expect(finish(limitExceededByTextInPasses(text, { depth: 10, containers: 80 }))).toBe('containers');
});

it('visits a large value in passes', () => {
  expect(
    [
      ...limitExceededByValue(
        list(10_000, (i) => i),
        limits,
      ),
    ].length,
  ).toBe(5);
  expect([...limitExceededByValue({ a: [1, {}] }, limits)].length).toBe(0);
});
