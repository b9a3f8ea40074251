import { finish, type JsonObject } from '@annex/machinery';
import { expect, it } from 'vitest';
import { builtinSchema } from './schema.ts';

it('reports the first error of a strategic merge patch in the order of the Go struct', () => {
  const schema = builtinSchema('', 'v1', { group: '', version: 'v1', kind: 'Pod' });
  const errorOf = (object: JsonObject) => schema.conversionError && finish(schema.conversionError(object));
  const spec = { hostNetwork: 'yes', nodeSelector: { a: 7 } };
  expect(errorOf({ spec })).toBe('cannot convert int64 to string');
  expect(errorOf({ spec: { hostNetwork: 'yes' } })).toBe('unrecognized type: bool');
});
