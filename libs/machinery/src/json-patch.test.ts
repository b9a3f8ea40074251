import { describe, expect, it } from 'vitest';
import type { JsonValue } from './json-object.ts';
import { parseJson, stringifyJson } from './json.ts';
import { applyJsonPatch, jsonPatchUnknownFields } from './json-patch.ts';
import { StatusError } from './status.ts';

const statusOf = (run: () => unknown) => {
  try {
    run();
  } catch (error) {
    if (error instanceof StatusError)
      return { ...error.status, cause: (error.cause as Error | undefined)?.message };
    throw error;
  }
  throw new Error('nothing was thrown');
};

interface Case {
  name: string;
  doc: JsonValue;
  patch: unknown;
  want: JsonValue;
}

const applied: Case[] = [
  {
    name: 'adds a member',
    doc: { a: 1 },
    patch: [{ op: 'add', path: '/b', value: 2 }],
    want: { a: 1, b: 2 },
  },
  { name: 'adds at an index', doc: [1, 3], patch: [{ op: 'add', path: '/1', value: 2 }], want: [1, 2, 3] },
  { name: 'appends with -', doc: [1], patch: [{ op: 'add', path: '/-', value: 2 }], want: [1, 2] },
  { name: 'adds at the end by index', doc: [1], patch: [{ op: 'add', path: '/1', value: 2 }], want: [1, 2] },
  {
    name: 'adds at a negative index',
    doc: [1, 2],
    patch: [{ op: 'add', path: '/-1', value: 3 }],
    want: [1, 2, 3],
  },
  { name: 'removes the last with -1', doc: [1, 2], patch: [{ op: 'remove', path: '/-1' }], want: [1] },
  {
    name: 'adds null where there is no value',
    doc: {},
    patch: [{ op: 'add', path: '/a' }],
    want: { a: null },
  },
  {
    name: 'replaces an absent member',
    doc: {},
    patch: [{ op: 'replace', path: '/a', value: 1 }],
    want: { a: 1 },
  },
  {
    name: 'replaces the whole document',
    doc: { a: 1 },
    patch: [{ op: 'replace', path: '', value: { b: 2 } }],
    want: { b: 2 },
  },
  {
    name: 'tests the whole document',
    doc: { a: 1 },
    patch: [{ op: 'test', path: '', value: { a: 1 } }],
    want: { a: 1 },
  },
  {
    name: 'takes absent and null as equal',
    doc: {},
    patch: [{ op: 'test', path: '/a', value: null }],
    want: {},
  },
  { name: 'unescapes ~1 and ~0 once', doc: { '~1': 1 }, patch: [{ op: 'remove', path: '/~01' }], want: {} },
  {
    name: 'moves and copies',
    doc: { a: { b: 1 } },
    patch: [
      { op: 'copy', from: '/a', path: '/c' },
      { op: 'move', from: '/a/b', path: '/d' },
    ],
    want: { a: {}, c: { b: 1 }, d: 1 },
  },
  {
    name: 'sees the empty name',
    doc: { '': 1 },
    patch: [{ op: 'test', path: '/', value: 1 }],
    want: { '': 1 },
  },
  { name: 'does nothing for no operations', doc: { a: 1 }, patch: [], want: { a: 1 } },
];

describe('applyJsonPatch', () => {
  it.each(applied)('$name', ({ doc, patch, want }) => {
    const before = [stringifyJson(doc), stringifyJson(patch)];
    expect(applyJsonPatch(doc, patch)).toEqual(want);
    expect([stringifyJson(doc), stringifyJson(patch)]).toEqual(before);
  });

  const failing: { name: string; patch: unknown; cause: string }[] = [
    {
      name: 'a failing test',
      patch: [{ op: 'test', path: '/a', value: 2 }],
      cause: 'testing value /a failed: test failed',
    },
    {
      name: 'a missing parent',
      patch: [{ op: 'replace', path: '/x/y', value: 2 }],
      cause: 'replace operation does not apply: doc is missing path: /x/y: missing value',
    },
    {
      name: 'a scalar parent',
      patch: [{ op: 'add', path: '/a/y', value: 2 }],
      cause: 'add operation does not apply: doc is missing path: "/a/y": missing value',
    },
    {
      name: 'removing what is absent',
      patch: [{ op: 'remove', path: '/x' }],
      cause: "error in remove for path: '/x': Unable to remove nonexistent key: x: missing value",
    },
    {
      name: 'an index beyond the end',
      patch: [{ op: 'add', path: '/l/9', value: 1 }],
      cause: "error in add for path: '/l/9': Unable to access invalid index: 9: invalid index referenced",
    },
    {
      name: 'no index',
      patch: [{ op: 'add', path: '/l/x', value: 1 }],
      cause: `error in add for path: '/l/x': value was not a proper array index: 'x': strconv.Atoi: parsing "x": invalid syntax`,
    },
    { name: 'an unknown operation', patch: [{ op: 'frob', path: '/a' }], cause: 'Unexpected kind: frob' },
    {
      name: 'an inherited name as operation',
      patch: [{ op: 'constructor', path: '/a' }],
      cause: 'Unexpected kind: constructor',
    },
    {
      name: 'no path',
      patch: [{ op: 'add', value: 1 }],
      cause: 'add operation failed to decode path: missing value',
    },
    {
      name: 'adding the root',
      patch: [{ op: 'add', path: '', value: {} }],
      cause: 'add operation does not apply: doc is missing path: "": missing value',
    },
    {
      name: 'moving into itself',
      patch: [{ op: 'move', from: '/l', path: '/l/x' }],
      cause: 'move operation does not apply: doc is missing destination path: /l/x: missing value',
    },
  ];
  it.each(failing)('throws 422 for $name', ({ patch, cause }) => {
    expect(statusOf(() => applyJsonPatch({ a: 1, l: [1] }, patch))).toMatchObject({
      code: 422,
      reason: 'Invalid',
      message: 'the server rejected our request due to an error in our request',
      details: {},
      cause,
    });
  });

  it.each([
    [
      { op: 'add' },
      'error decoding patch: json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp',
    ],
    [['x'], 'error decoding patch: json: cannot unmarshal string into Go value of type handlers.jsonPatchOp'],
    [
      [{ op: 1 }],
      'error decoding patch: json: cannot unmarshal number into Go struct field jsonPatchOp.op of type string',
    ],
  ])('throws 400 for %j', (patch, message) => {
    expect(statusOf(() => applyJsonPatch({}, patch))).toMatchObject({
      code: 400,
      reason: 'BadRequest',
      message,
    });
  });

  it('throws 413 for more than 10000 operations', () => {
    const patch = Array.from({ length: 10_001 }, () => ({ op: 'test', path: '/a', value: 1 }));
    expect(statusOf(() => applyJsonPatch({ a: 1 }, patch))).toMatchObject({
      code: 413,
      message: 'Request entity too large: The allowed maximum operations in a JSON patch is 10000, got 10001',
    });
  });

  it('names fields that operations do not have', () => {
    expect(
      jsonPatchUnknownFields([
        { op: 'test', path: '/a' },
        { op: 'add', junk: 1 },
      ]),
    ).toEqual(['json patch unknown field "[1].junk"']);
  });

  it('stops copies that double the document', () => {
    const patch = Array.from({ length: 60 }, (_, i) => ({ op: 'copy', from: '/a', path: `/a/${i}` }));
    expect(statusOf(() => applyJsonPatch({ a: { x: 'y' } }, patch))).toMatchObject({ code: 422 });
  });

  it('keeps __proto__ an ordinary name and integers exact', () => {
    const doc = parseJson('{"__proto__":{"n":9007199254740993}}');
    const patched = applyJsonPatch(doc, [{ op: 'copy', from: '/__proto__/n', path: '/__proto__/m' }]);
    expect(stringifyJson(patched)).toBe('{"__proto__":{"n":9007199254740993,"m":9007199254740993}}');
    expect(({} as Record<string, unknown>)['m']).toBeUndefined();
  });
});
