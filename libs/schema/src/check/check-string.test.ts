import { expect, it } from 'vitest';
import { compileSchemaPattern, maxSchemaPatterns } from './check-string.ts';

it('one pattern more than maxSchemaPatterns empties the cache', () => {
  for (let i = 0; i < maxSchemaPatterns; i++) compileSchemaPattern(`a${i}`);
  const first = compileSchemaPattern('b0');
  for (let i = 1; i < maxSchemaPatterns; i++) compileSchemaPattern(`b${i}`);
  expect(compileSchemaPattern('b0')).toBe(first);
  compileSchemaPattern('one more');
  expect(compileSchemaPattern('b0')).not.toBe(first);
});
