import { expect, it } from 'vitest';
import { applyJsonPatch, applyJsonPatchInSlices, maxJsonPatchOperations } from './json-patch.ts';

const noPause = () => undefined;
const inserts = (count: number) =>
  Array.from({ length: count }, () => ({ op: 'add', path: '/list/0', value: 'x' }));

it('a patch in slices pauses before each operation and has the same result', async () => {
  const doc = { list: ['a', 'b'] };
  const patch = [...inserts(3), { op: 'move', from: '/list/4', path: '/list/0' }];
  const lengths: number[] = [];
  const pause = () => Promise.resolve(void lengths.push(1));
  expect(await applyJsonPatchInSlices(doc, patch, pause)).toEqual({ list: ['b', 'x', 'x', 'x', 'a'] });
  expect(lengths).toHaveLength(4);
  expect(applyJsonPatch(doc, patch)).toEqual({ list: ['b', 'x', 'x', 'x', 'a'] });
  expect(doc).toEqual({ list: ['a', 'b'] });
});

it.each([
  ['too many operations', inserts(maxJsonPatchOperations + 1), 413],
  ['an operation that fails', [{ op: 'remove', path: '/none' }], 422],
  ['no list', 'x', 400],
])('a patch in slices is refused like others: %s', async (_what, patch, code) => {
  await expect(applyJsonPatchInSlices({ list: [] }, patch, noPause)).rejects.toMatchObject({ code });
});

it('an empty patch changes nothing', async () => {
  expect(await applyJsonPatchInSlices({ a: 1 }, [], noPause)).toEqual({ a: 1 });
});
