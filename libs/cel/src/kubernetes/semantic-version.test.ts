import { describe, expect, it } from 'vitest';
import { SemanticVersion } from './semantic-version.ts';

describe('a semantic version', () => {
  it('is ordered by its numbers, then by its pre-release', () => {
    const ordered = [
      '0.9.9',
      '1.0.0-1',
      '1.0.0-2',
      '1.0.0-10',
      '1.0.0-a',
      '1.0.0-a.1',
      '1.0.0-b',
      '1.0.0',
      '1.0.1',
    ];
    const versions = ordered.map((text) => SemanticVersion.parse(text));
    versions.forEach((a, i) =>
      versions.forEach((b, j) => expect(a.compare(b), `${ordered[i]} ${ordered[j]}`).toBe(Math.sign(i - j))),
    );
  });

  it('is equal to the version with other build metadata', () => {
    expect(SemanticVersion.parse('1.2.3+a').compare(SemanticVersion.parse('1.2.3+b'))).toBe(0);
  });

  it.each([
    ['', 'Version string empty'],
    ['1.2', 'No Major.Minor.Patch elements found'],
    ['v1.2.3', 'Invalid character(s) found in major number "v1"'],
    ['1.02.3', 'Minor number must not contain leading zeroes "02"'],
    ['1..3', 'strconv.ParseUint: parsing "": invalid syntax'],
    ['18446744073709551616.0.0', 'strconv.ParseUint: parsing "18446744073709551616": value out of range'],
    ['1.2.x', 'Invalid character(s) found in patch number "x"'],
    ['1.2.3-', 'Prerelease is empty'],
    ['1.2.3-01', 'Numeric PreRelease version must not contain leading zeroes "01"'],
    ['1.2.3-a_b', 'Invalid character(s) found in prerelease "a_b"'],
    ['1.2.3+', 'Build meta data is empty'],
    ['1.2.3+a_b', 'Invalid character(s) found in build meta data "a_b"'],
  ])('%j is invalid: %s', (text, reason) => {
    expect(() => SemanticVersion.parse(text)).toThrow(new Error(reason));
  });

  it.each([
    ['v1', '1.0.0'],
    ['1.2', '1.2.0'],
    ['01.00.0001', '1.0.1'],
    ['v1.2.03-a', '1.2.3-a'],
  ])('%s is parsed tolerantly as %s', (text, strict) => {
    expect(SemanticVersion.parseTolerantly(text).compare(SemanticVersion.parse(strict))).toBe(0);
  });

  it('a pre-release requires all three numbers', () => {
    expect(() => SemanticVersion.parseTolerantly('1.2-a')).toThrow(
      'short version cannot contain PreRelease/Build meta data',
    );
  });
});
