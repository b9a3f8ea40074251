import { expect, it } from 'vitest';
import { isSemanticVersion } from './semantic-version.ts';

it.each([
  ['three numbers', '1.20.3', true],
  ['a pre-release and a build', '1.0.0-rc.1-x+b.01', true],
  ['a number of more than 64 bits', '99999999999999999999.0.0', true],
  ['two numbers', '1.0', false],
  ['four numbers', '1.0.0.0', false],
  ['a number that begins with zero', '01.0.0', false],
  ['a number of a pre-release that begins with zero', '1.0.0-01', false],
  ['an empty part of a pre-release', '1.0.0-a..b', false],
  ['an empty build', '1.0.0+', false],
  ['two builds', '1.0.0+a+b', false],
  ['another character', '1.0.0-é', false],
])('%s: %s is a semantic version: %s', (_what, text, expected) => {
  expect(isSemanticVersion(text)).toBe(expected);
});
