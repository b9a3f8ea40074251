import { expect, test } from 'vitest';
import { deepCopy, deepEqual, parseJson, stringifyJson } from './json.ts';

test.each([
  ['the largest int64', '9223372036854775807', '9223372036854775807'],
  ['the smallest int64', '-9223372036854775808', '-9223372036854775808'],
  ['the first integer that a float64 cannot hold', '9007199254740993', '9007199254740993'],
  ['an integer beyond int64 becomes a float64', '18446744073709551616', '18446744073709552000'],
  ['a float keeps its digits', '0.1', '0.1'],
  ['a large exponent that a float64 holds', '1e308', '1e+308'],
  ['a small exponent vanishes', '1e-400', '0'],
  ['a negative zero', '-0', '0'],
  ['an exponent in a string is text', '"1e400"', '"1e400"'],
])('numbers: %s', (_what, text, written) => {
  expect(stringifyJson(parseJson(`{"a":[${text}]}`))).toBe(`{"a":[${written}]}`);
});

test.each(['1e400', '-1e400', '9'.repeat(400), '1.5E+999'])('%s is not a float64', (text) => {
  expect(() => parseJson(`{"a":${text}}`)).toThrow(
    `json: cannot unmarshal number ${text} into Go value of type float64`,
  );
});

test('names that objects inherit are ordinary keys, with and without long integers', () => {
  for (const number of ['1', '9007199254740993']) {
    const text = `{"__proto__":{"polluted":${number}},"constructor":{"prototype":1},"toString":"x"}`;
    const parsed = parseJson(text);
    expect(stringifyJson(parsed)).toBe(text);
    expect(stringifyJson(deepCopy(parsed))).toBe(text);
    expect(deepEqual(parsed, {})).toBe(false);
  }
  expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
});
