import { expect, it } from 'vitest';
import { goPrint } from './print.ts';

it.each([
  ['nothing', null, '<nil>'],
  ['a map, by the order of its keys', { b: 1, a: 'x' }, 'map[a:x b:1]'],
  ['lists and their items', ['a', true, { c: [1.5, null] }], '[a true map[c:[1.5 <nil>]]]'],
  ['an integer that no double holds', 9007199254740993n, '9007199254740993'],
  ['a number that no integer of 64 bits holds', 2 ** 64, '1.8446744073709552e+19'],
])('prints %s as Go does', (_, value, text) => {
  expect(goPrint(value)).toBe(text);
});
