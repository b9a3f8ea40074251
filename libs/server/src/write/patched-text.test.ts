import { expect, it } from 'vitest';
import { jsonPatchedText, mergedText } from './patched-text.ts';

const patched = { z: { b: { y: 1, x: 2 }, a: [{ d: 1, c: 2 }] }, k: { b: 1, a: 2 } };

it.each<[name: string, operations: unknown, text: string]>([
  [
    'sorts the object with an added member',
    [{ op: 'add', path: '/k' }],
    '{"k":{"b":1,"a":2},"z":{"b":{"y":1,"x":2},"a":[{"d":1,"c":2}]}}',
  ],
  [
    'sorts the containers on the paths of operations',
    [
      { op: 'add', path: '/z/b/x' },
      { op: 'move', from: '/z/a/0/c', path: '/q' },
    ],
    '{"k":{"b":1,"a":2},"z":{"a":[{"c":2,"d":1}],"b":{"x":2,"y":1}}}',
  ],
])('the text of a JSON patch %s', (_name, operations, text) => {
  expect(jsonPatchedText(patched, operations)).toBe(text);
});

it.each<[name: string, patch: unknown, text: string]>([
  ['sorts the object itself', { k: 1 }, '{"k":{"b":1,"a":2},"z":{"b":{"y":1,"x":2},"a":[{"d":1,"c":2}]}}'],
  [
    'sorts members for which the patch has an object',
    { z: { b: {}, a: [] } },
    '{"k":{"b":1,"a":2},"z":{"a":[{"d":1,"c":2}],"b":{"x":2,"y":1}}}',
  ],
  [
    'sorts the objects in lists of the patch',
    { z: { a: [{ d: 1, c: 2 }] } },
    '{"k":{"b":1,"a":2},"z":{"a":[{"c":2,"d":1}],"b":{"y":1,"x":2}}}',
  ],
])('the text of a merge patch %s', (_name, patch, text) => {
  expect(mergedText(patched, patch)).toBe(text);
});
