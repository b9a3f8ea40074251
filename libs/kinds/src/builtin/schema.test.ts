import { expect, it } from 'vitest';
import { builtinSchema } from './schema.ts';

it('reports the first error of a strategic merge patch in the order of the Go struct', () => {
  const schema = builtinSchema('', 'v1', { group: '', version: 'v1', kind: 'Pod' });
  const spec = { hostNetwork: 'yes', nodeSelector: { a: 7 } };
  expect(schema.conversionError?.({ spec })).toBe('cannot convert int64 to string');
  expect(schema.conversionError?.({ spec: { hostNetwork: 'yes' } })).toBe('unrecognized type: bool');
});
