import { describe, expect, it } from 'vitest';
import type { JsonObject } from './json-object.ts';
import { parseJson, stringifyJson } from './json.ts';
import { applyMergePatchInPasses } from './merge-patch.ts';
import { finish } from './passes.ts';

const applyMergePatch = (doc: JsonObject, patch: unknown, loose = false) =>
  finish(applyMergePatchInPasses(doc, patch, loose));

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

describe('a merge patch', () => {
  it.each(cases)('$name', ({ doc, patch, want }) => {
    const before = stringifyJson([doc, patch]);
    expect(applyMergePatch(doc, patch)).toEqual(want);
    expect(stringifyJson([doc, patch])).toBe(before);
  });

  it('of very many members is applied in passes, and keeps their order', () => {
    const range = Array.from({ length: 20_000 }, (_, i) => i);
    const deep = range.slice(0, 2000).map((i) => [`m${i}`, { a: i, b: [i, null, { c: null }] }] as const);
    const doc = {
      wide: Object.fromEntries(range.map((i) => [`k${i}`, i])),
      deep: Object.fromEntries(deep.map(([name]) => [name, { a: 0, z: 1 }])),
    };
    const patch = {
      wide: { k1: null, k3: 'x', ...Object.fromEntries(range.map((i) => [`n${i}`, i % 2 ? i : null])) },
      deep: Object.fromEntries(deep),
      list: range,
    };
    const applying = applyMergePatchInPasses(doc, patch);
    let passes = 0;
    let pass = applying.next();
    for (; pass.done !== true; pass = applying.next()) passes++;
    expect(passes).toBeGreaterThan(20);
    const kept = range.filter((i) => i !== 1).map((i) => [`k${i}`, i === 3 ? 'x' : i]);
    const added = range.filter((i) => i % 2).map((i) => [`n${i}`, i]);
    const want = {
      wide: Object.fromEntries([...kept, ...added]),
      deep: Object.fromEntries(deep.map(([name, { a }]) => [name, { a, z: 1, b: [a, null, {}] }])),
      list: range,
    };
    expect(stringifyJson(pass.value)).toBe(stringifyJson(want));
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
