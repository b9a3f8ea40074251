import { expect, it } from 'vitest';
import { compilePattern, maxKeptPatternLength, maxPatternLength, patternTooLarge } from './pattern.ts';

it('rejects a pattern of more than maxPatternLength characters', () => {
  expect(() => compilePattern('a'.repeat(maxPatternLength + 1))).toThrow(patternTooLarge);
});

it.each([
  ['a short pattern is kept', 'a+', true],
  ['one of more than maxKeptPatternLength characters is not', 'a'.repeat(maxKeptPatternLength + 1), false],
  ['one that is short and repeats much is not', String.raw`(\pL\pL){1000}`, false],
])('%s', (_what, pattern, isKept) => {
  expect(compilePattern(pattern) === compilePattern(pattern)).toBe(isKept);
});
