import { expect, it } from 'vitest';
import {
  compilePattern,
  maxCelPatterns,
  maxKeptPatternLength,
  maxPatternLength,
  patternTooLarge,
} from './pattern.ts';

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

it('one pattern more than maxCelPatterns removes the oldest', () => {
  const first = compilePattern('first');
  for (let i = 1; i < maxCelPatterns; i++) compilePattern(`p${i}`);
  expect(compilePattern('first')).toBe(first);
  compilePattern('one more');
  expect(compilePattern('first')).not.toBe(first);
});
