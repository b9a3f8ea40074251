import { describe, expect, it } from 'vitest';
import { versionOf } from '../crd.fixture.ts';
import type { Crd } from './crd.ts';
import { deprecationErrors, deprecationWarningOf, preferredVersion } from './deprecation.ts';

describe('the warning of a deprecated version', () => {
  const old = versionOf({ name: 'v1beta1', deprecated: true });
  const crd = (...others: object[]): Crd =>
    ({
      spec: { group: 'example.com', names: { kind: 'CronTab' }, versions: [old, ...others] },
    }) as unknown as Crd;

  it.each<[string, Crd, string]>([
    [
      'VER-026 G05 names the best newer version',
      crd(versionOf(), versionOf({ name: 'v2' })),
      'example.com/v1beta1 CronTab is deprecated; use example.com/v2 CronTab',
    ],
    [
      'skips older versions',
      crd(versionOf({ name: 'v1alpha1' })),
      'example.com/v1beta1 CronTab is deprecated',
    ],
    [
      'skips versions that are not served',
      crd(versionOf({ served: false })),
      'example.com/v1beta1 CronTab is deprecated',
    ],
  ])('%s', (_name, provided, expected) =>
    expect(deprecationWarningOf(provided, old, preferredVersion(provided))).toBe(expected),
  );

  it('VER-025 is the one that is declared', () => {
    expect(deprecationWarningOf(crd(), { ...old, deprecationWarning: 'go away' }, undefined)).toBe('go away');
  });

  it.each<[string, string, string[]]>([
    ['G06 is not empty', '', ['must not be an empty string']],
    ['G06 is not longer than 256', 'x'.repeat(257), ['must be <= 256 characters long']],
    ['may be written in any script', 'veraltet: größer, 旧', []],
  ])('%s', (_name, deprecationWarning, expected) => {
    expect(deprecationErrors({ deprecated: true, deprecationWarning })).toEqual(expected);
  });
});
