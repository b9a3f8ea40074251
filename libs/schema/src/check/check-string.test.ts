import { expect, it } from 'vitest';
import { compileSchemaPattern, maxSchemaPatterns } from './check-string.ts';

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
