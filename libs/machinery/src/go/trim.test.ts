import { expectLinear } from '@annex/testkit';
import { expect, test } from 'vitest';
import { trim, trimRight } from './trim.ts';

test.each([
  ['/a/**', '*', '/a/', '/a/'],
  ['  a b ', ' ', '  a b', 'a b'],
  ['***', '*', '', ''],
  ['', '*', '', ''],
  ['1.500', '.0', '1.5', '1.5'],
])('%j without %j', (text, set, right, both) => {
  expect(trimRight(text, set)).toBe(right);
  expect(trim(text, set)).toBe(both);
});

test('characters within the text are visited once', () => {
  expectLinear(
    (size) => `${'*'.repeat(size)}x`,
    (text) => trimRight(text, '*'),
  );
});
