import { expect, it } from 'vitest';
import { parseGoBoolean } from './boolean.ts';

it.each<[string, boolean | undefined]>([
  ['1', true],
  ['t', true],
  ['TRUE', true],
  ['0', false],
  ['F', false],
  ['False', false],
  ['tRUE', undefined],
  ['yes', undefined],
  [' true', undefined],
  ['', undefined],
])('reads "%s" as %s', (text, value) => {
  expect(parseGoBoolean(text)).toBe(value);
});
