import { RE2JS } from 're2js';
import { expect, it, onTestFinished, vi } from 'vitest';
import { Outcome } from './check.ts';
import { compileSchemaPattern, maxCachedMatchLength, maxSchemaPatterns } from './check-string.ts';
import { compileCheck } from './check-value.ts';

/** Fills the cache, which tests of other files share, until it is emptied; then it has two patterns. */
function emptyCache(): void {
  const probe = compileSchemaPattern('probe');
  for (let i = 0; compileSchemaPattern('probe') === probe; i++) compileSchemaPattern(`a${i}`);
}

it('one pattern more than maxSchemaPatterns empties the cache', () => {
  emptyCache();
  const first = compileSchemaPattern('b0');
  for (let i = 1; i < maxSchemaPatterns - 2; i++) compileSchemaPattern(`b${i}`);
  expect(compileSchemaPattern('b0')).toBe(first);
  compileSchemaPattern('one more');
  expect(compileSchemaPattern('b0')).not.toBe(first);
});

it.each([
  ['of maxCachedMatchLength is matched once', maxCachedMatchLength, 1],
  ['that is longer is matched for each write', maxCachedMatchLength + 1, 2],
])('a string %s', (_what, length, searches) => {
  const search = vi.spyOn(RE2JS.prototype, 'test');
  onTestFinished(() => search.mockRestore());
  const check = compileCheck({ type: 'string', pattern: '^a*$' }, 'resource', false);
  for (let write = 0; write < 2; write++) check.report('a'.repeat(length), '', new Outcome());
  expect(search).toHaveBeenCalledTimes(searches);
});
