import type { JsonObject } from '@annex/machinery';
import { expect, it } from 'vitest';
import { coerce, maxStrictErrors } from './decode-object.ts';

it('strict errors of a built-in kind beyond maxStrictErrors are not reported', () => {
  const strictErrors = (count: number) => {
    const prune = (object: JsonObject) => Object.keys(object).filter((name) => name.startsWith('x'));
    const names = Array.from({ length: count }, (_, i) => [`x${i}`, 1]);
    const expected = { typed: true, schema: { prune } } as unknown as Parameters<typeof coerce>[1];
    return coerce({ metadata: {}, ...(Object.fromEntries(names) as JsonObject) }, expected).strict;
  };
  expect(strictErrors(maxStrictErrors)).toHaveLength(100);
  expect(strictErrors(maxStrictErrors + 1).at(-1)).toBe('unknown field "x99"');
});
