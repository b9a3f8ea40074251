import { describe, expect, it } from 'vitest';
import type { JsonObject } from './json-object.ts';
import { parseJson, stringifyJson } from './json.ts';
import { applyMergePatch } from './merge-patch.ts';

const cases: { name: string; doc: JsonObject; patch: unknown; want: unknown }[] = [
  {
    name: 'sets and replaces members',
    doc: { a: 1, b: 1 },
    patch: { b: 2, c: 3 },
    want: { a: 1, b: 2, c: 3 },
  },
  {
    name: 'removes nulls',
    doc: { a: 1, b: { c: 1, d: 1 } },
    patch: { a: null, b: { c: null } },
    want: { b: { d: 1 } },
  },
  {
    name: 'ignores nulls for absent members',
    doc: {},
    patch: { a: null, b: { c: null, d: 1 } },
    want: { b: { d: 1 } },
  },
  { name: 'replaces arrays', doc: { a: [1, 2] }, patch: { a: [3] }, want: { a: [3] } },
  {
    name: 'keeps nulls of the document',
    doc: { a: { b: null } },
    patch: { a: { c: 1 } },
    want: { a: { b: null, c: 1 } },
  },
  {
    name: 'keeps nulls in arrays but not in their objects',
    doc: {},
    patch: { a: [null, { b: null }] },
    want: { a: [null, {}] },
  },
  {
    name: 'replaces a scalar by an object',
    doc: { a: 1 },
    patch: { a: { b: null, c: 1 } },
    want: { a: { c: 1 } },
  },
  { name: 'replaces an object by a scalar', doc: { a: { b: 1 } }, patch: { a: 'x' }, want: { a: 'x' } },
];

describe('applyMergePatch', () => {
  it.each(cases)('$name', ({ doc, patch, want }) => {
    const before = stringifyJson([doc, patch]);
    expect(applyMergePatch(doc, patch)).toEqual(want);
    expect(stringifyJson([doc, patch])).toBe(before);
  });

  it('accepts a list as the result without field validation', () => {
    expect(applyMergePatch({ a: 1 }, [null, { a: null, b: 1 }], true)).toEqual([null, { b: 1 }]);
    expect(() => applyMergePatch({ a: 1 }, 5, true)).toThrow('Invalid JSON Patch');
  });

  it('keeps __proto__ an ordinary name', () => {
    const patched = applyMergePatch({}, parseJson('{"__proto__":{"polluted":true}}'));
    expect(stringifyJson(patched)).toBe('{"__proto__":{"polluted":true}}');
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  it.each([
    [[], 'error decoding patch: json: cannot unmarshal array into Go value of type map[string]interface {}'],
    [
      'x',
      'error decoding patch: json: cannot unmarshal string into Go value of type map[string]interface {}',
    ],
    [null, 'Invalid JSON Patch'],
  ])('throws 400 for %j', (patch, message) => {
    expect(() => applyMergePatch({}, patch)).toThrow(
      expect.objectContaining({ status: expect.objectContaining({ code: 400, message }) }),
    );
  });
});
