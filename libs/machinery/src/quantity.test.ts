import { describe, expect, test } from 'vitest';
import { Quantity, validateQuantity } from './quantity.ts';

describe('a quantity is printed in its canonical form', () => {
  test.each([
    ['0', '0'],
    ['0Ki', '0'],
    ['1.5', '1500m'],
    ['1.500', '1.500'],
    ['0.5', '500m'],
    ['.5', '500m'],
    ['1000', '1k'],
    ['1024Ki', '1Mi'],
    ['1025Ki', '1025Ki'],
    ['1.5Gi', '1536Mi'],
    ['0.1Ki', '102400m'],
    ['12e6', '12e6'],
    ['1E', '1E'],
    ['0.0001m', '100n'],
    ['3.0000000001', '3000000001n'],
    ['100Ei', '9223372036854775807'],
    ['-1k', '-1k'],
    ['9223372036854775808', '9223372036854775808'],
  ])('%s is %s', (text, printed) => expect(Quantity.parse(text).toString()).toBe(printed));
});

test.each([
  ['', "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"],
  ['1x', "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"],
  ['1ee', "unable to parse quantity's suffix"],
  ['1e999999999', "unable to parse quantity's suffix"],
  ['-5x', "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"],
  ['1-5', "unable to parse quantity's suffix"],
  ['1.5.5', "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"],
])('%j is not a quantity', (text, message) => expect(validateQuantity(text)).toEqual([message]));

test('quantities are compared and added exactly', () => {
  const parse = (text: string) => Quantity.parse(text);
  expect(parse('1Ki').compare(parse('1024'))).toBe(0);
  expect(parse('0.1').compare(parse('100m'))).toBe(0);
  expect(parse('1k').compare(parse('1Ki'))).toBe(-1);
  expect(parse('0.1').add(parse('0.2')).toString()).toBe('300m');
  expect(parse('1Gi').add(parse('1')).toString()).toBe('1073741825');
  expect(parse('1').sub(parse('1500m')).toString()).toBe('-500m');
});

test('a quantity is an int64 only if it is one in apimachinery', () => {
  expect(Quantity.parse('1k').asInt64()).toBe(1000n);
  expect(Quantity.parse('1000m').asInt64()).toBeUndefined();
  expect(Quantity.parse('1100m').value()).toBe(2n);
  expect(Quantity.parse('1500m').scaledValue(-3)).toBe(1500n);
});

describe('a quantity of more than 1000 characters is refused without parsing:', () => {
  test.each<[string, string]>([
    // The limit is maxQuantityLength.
    ['digits', '1'.repeat(1_000_000)],
    ['digits before an invalid character', `${'1'.repeat(1_000_000)}!`],
    ['letters of suffixes', `1${'E'.repeat(1_000_000)}!`],
    ['zeros', '0'.repeat(1_000_000)],
  ])('%s', (_, text) => expect(validateQuantity(text)).toEqual(['unable to parse numeric part of quantity']));
});
