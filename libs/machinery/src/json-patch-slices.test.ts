import { expect, it } from 'vitest';
import { applyJsonPatch, applyJsonPatchInPasses, maxJsonPatchOperations } from './json-patch.ts';

const inserts = (count: number) =>
  Array.from({ length: count }, () => ({ op: 'add', path: '/list/0', value: 'x' }));

it('a patch in passes ends one before each operation and has the same result', () => {
  const doc = { list: ['a', 'b'] };
  const patch = [...inserts(3), { op: 'move', from: '/list/4', path: '/list/0' }];
  expect([...applyJsonPatchInPasses(doc, patch)]).toHaveLength(4);
  expect(applyJsonPatch(doc, patch)).toEqual({ list: ['b', 'x', 'x', 'x', 'a'] });
  expect(doc).toEqual({ list: ['a', 'b'] });
});

const numbers = Object.fromEntries(Array.from({ length: 3000 }, (_, i) => [`k${i}`, i]));

it.each([
  ['adds', [{ op: 'add', path: '/a', value: numbers }], { a: numbers, b: numbers }],
  ['replaces', [{ op: 'replace', path: '/b', value: [numbers] }], { b: [numbers] }],
  ['tests', [{ op: 'test', path: '/b', value: numbers }], { b: numbers }],
  ['copies', [{ op: 'copy', from: '/b', path: '/a' }], { a: numbers, b: numbers }],
])('an operation %s a large value in passes', (_what, patch, result) => {
  const doc = { b: numbers };
  // One pass for the operation, and more than that to copy the document.
  const ofDocument = [...applyJsonPatchInPasses(doc, [])].length;
  expect([...applyJsonPatchInPasses(doc, patch)].length).toBeGreaterThan(ofDocument + 1);
  expect(applyJsonPatch(doc, patch)).toEqual(result);
});

it.each([
  ['too many operations', inserts(maxJsonPatchOperations + 1), 413],
  ['an operation that fails', [{ op: 'remove', path: '/none' }], 422],
  ['no list', 'x', 400],
])('refuses %s', (_what, patch, code) => {
  expect(() => applyJsonPatch({ list: [] }, patch)).toThrow(expect.objectContaining({ code }) as Error);
});

it('an empty patch changes nothing, and copies the document', () => {
  const doc = { a: 1 };
  expect(applyJsonPatch(doc, [])).toEqual(doc);
  expect(applyJsonPatch(doc, [])).not.toBe(doc);
});
