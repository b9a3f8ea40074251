import { FieldPath, fieldErrorText, finish, type JsonObject } from '@annex/machinery';
import { expect, it } from 'vitest';
import { defaultsErrors } from './check-defaults.ts';

const text = 'ab'.repeat(100_000);

it.each<readonly [name: string, rules: JsonObject, error: string]>([
  ['a pattern', { pattern: 'a[ab]{100}c' }, 'should match'],
  ['a rule', { 'x-kubernetes-validations': [{ rule: "self.find('a[ab]{100}c') != ''" }] }, 'failed rule'],
])('a long default with %s is checked in passes', (_, rules, error) => {
  const property = { type: 'string', default: text, ...rules };
  const passes = defaultsErrors({ type: 'object', properties: { a: property } }, FieldPath.root, true);
  for (let pass = 0; pass < 10; pass++) expect(passes.next().done).toBe(false);
  expect(finish(passes).map(fieldErrorText)).toEqual([expect.stringContaining(error)]);
});
