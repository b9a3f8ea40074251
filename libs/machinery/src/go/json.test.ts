import { expect, test } from 'vitest';
import { escapedJson } from './json.ts';

test.each([
  ['HTML characters', { a: 'x < 5 && y > 1' }, '{"a":"x \\u003c 5 \\u0026\\u0026 y \\u003e 1"}'],
  ['line separators', ['\u2028\u2029'], '["\\u2028\\u2029"]'],
  ['other text', 'ä "b"', '"ä \\"b\\""'],
])('JSON is written as by Go: %s', (_, value, text) => {
  expect(escapedJson(value)).toBe(text);
});
