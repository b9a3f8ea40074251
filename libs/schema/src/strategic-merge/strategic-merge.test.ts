import { type JsonObject, StatusError } from '@annex/machinery';
import { describe, expect, it } from 'vitest';
import type { SchemaNode } from '../node.ts';
import { applyStrategicMergePatch, applyStrategicMergePatchInPasses } from './strategic-merge.ts';
import { objectMetaNode } from '../typed-values/typed-object-meta.ts';
import { integer, struct, text } from '../typed-values/typed-testdata.ts';

const env: SchemaNode = {
  type: 'array',
  items: struct({ name: text, value: text }),
  patchStrategy: 'merge',
  patchMergeKey: 'name',
};
const containers: SchemaNode = {
  type: 'array',
  items: struct({ name: text, image: text, args: { type: 'array', items: text }, env }),
  patchStrategy: 'merge',
  patchMergeKey: 'name',
};
const volumes: SchemaNode = {
  type: 'array',
  items: struct({ name: text, emptyDir: struct({}), secret: struct({ secretName: text }) }),
  patchStrategy: 'merge,retainKeys',
  patchMergeKey: 'name',
};
const schema: SchemaNode = struct({
  metadata: objectMetaNode,
  data: { type: 'object', additionalProperties: text },
  nested: { type: 'object', additionalProperties: struct({ a: text }) },
  containers,
  volumes,
  strategy: struct(
    { type: text, rollingUpdate: struct({ maxSurge: integer }) },
    { patchStrategy: 'retainKeys' },
  ),
  selector: struct(
    { matchLabels: { type: 'object', additionalProperties: text } },
    { patchStrategy: 'replace' },
  ),
  lists: { type: 'array', patchStrategy: 'merge', items: { type: 'array', items: text } },
});

const cases: { name: string; object: JsonObject; patch: JsonObject; want: JsonObject }[] = [
  {
    name: 'adds items as they are',
    object: { containers: [{ name: 'a' }] },
    patch: { containers: [{ name: 'b', image: null, env: [{ name: 'E', $patch: 'delete' }] }] },
    want: {
      containers: [{ name: 'b', image: null, env: [{ name: 'E', $patch: 'delete' }] }, { name: 'a' }],
    },
  },
  {
    name: 'sets and removes map values',
    object: { data: { k: 'v', l: 'w' } },
    patch: { data: { k: null, n: '1' } },
    want: { data: { l: 'w', n: '1' } },
  },
  {
    name: 'replaces a map',
    object: { data: { k: 'v' } },
    patch: { data: { $patch: 'replace', only: 'this' } },
    want: { data: { only: 'this' } },
  },
  {
    name: 'clears a map',
    object: { data: { k: 'v' } },
    patch: { data: { $patch: 'delete' } },
    want: { data: {} },
  },
  { name: 'drops directives for an absent map', object: {}, patch: { data: { $patch: 'nope' } }, want: {} },
  {
    name: 'drops nulls of a new map',
    object: {},
    patch: { data: { a: null, b: '1' } },
    want: { data: { b: '1' } },
  },
  {
    name: 'puts patched scalars of a merged list first',
    object: { metadata: { finalizers: ['a'] } },
    patch: { metadata: { finalizers: ['b'] } },
    want: { metadata: { finalizers: ['b', 'a'] } },
  },
  {
    name: 'removes scalars of a list',
    object: { metadata: { finalizers: ['a', 'b', 'c'] } },
    patch: { metadata: { '$deleteFromPrimitiveList/finalizers': ['a', 'c'] } },
    want: { metadata: { finalizers: ['b'] } },
  },
  {
    name: 'merges list items by their key, new items first',
    object: { metadata: { ownerReferences: [{ uid: 'u1', name: 'o' }] } },
    patch: { metadata: { ownerReferences: [{ uid: 'u2', name: 'p' }] } },
    want: {
      metadata: {
        ownerReferences: [
          { uid: 'u2', name: 'p' },
          { uid: 'u1', name: 'o' },
        ],
      },
    },
  },
  {
    name: 'merges nested lists and replaces atomic ones',
    object: {
      containers: [{ name: 'a', image: '1', args: ['x'], env: [{ name: 'E', value: '1' }] }, { name: 'b' }],
    },
    patch: { containers: [{ name: 'a', image: '2', args: ['y'], env: [{ name: 'F', value: '2' }] }] },
    want: {
      containers: [
        {
          name: 'a',
          image: '2',
          args: ['y'],
          env: [
            { name: 'F', value: '2' },
            { name: 'E', value: '1' },
          ],
        },
        { name: 'b' },
      ],
    },
  },
  {
    name: 'removes a list item',
    object: { containers: [{ name: 'a' }, { name: 'b' }] },
    patch: { containers: [{ name: 'a', $patch: 'delete' }] },
    want: { containers: [{ name: 'b' }] },
  },
  {
    name: 'replaces a list by a marked item',
    object: { containers: [{ name: 'a' }, { name: 'b' }] },
    patch: { containers: [{ name: 'c' }, { $patch: 'replace' }] },
    want: { containers: [{ name: 'c' }] },
  },
  {
    name: 'sorts by $setElementOrder and keeps what only the server has at its place',
    object: { containers: [{ name: 'a' }, { name: 'server' }, { name: 'b' }, { name: 'c' }] },
    patch: {
      '$setElementOrder/containers': [{ name: 'c' }, { name: 'new' }, { name: 'b' }, { name: 'a' }],
      containers: [{ name: 'new', image: 'i' }],
    },
    want: {
      containers: [
        { name: 'server' },
        { name: 'c' },
        { name: 'new', image: 'i' },
        { name: 'b' },
        { name: 'a' },
      ],
    },
  },
  {
    name: 'sorts scalars without changing them',
    object: { metadata: { finalizers: ['a', 'b'] } },
    patch: { metadata: { '$setElementOrder/finalizers': ['b', 'a'] } },
    want: { metadata: { finalizers: ['b', 'a'] } },
  },
  {
    name: 'clears what $retainKeys does not name',
    object: { strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1 } } },
    patch: { strategy: { $retainKeys: ['type'], type: 'Recreate' } },
    want: { strategy: { type: 'Recreate' } },
  },
  {
    name: 'retains keys of list items',
    object: { volumes: [{ name: 'v', emptyDir: {} }] },
    patch: { volumes: [{ $retainKeys: ['name', 'secret'], name: 'v', secret: { secretName: 's' } }] },
    want: { volumes: [{ name: 'v', secret: { secretName: 's' } }] },
  },
  {
    name: 'replaces a map of that strategy',
    object: { selector: { matchLabels: { a: '1' } } },
    patch: { selector: { matchLabels: { b: '2' } } },
    want: { selector: { matchLabels: { b: '2' } } },
  },
  {
    name: 'adds an absent list as it is',
    object: {},
    patch: { containers: [{ name: 'a' }] },
    want: { containers: [{ name: 'a' }] },
  },
];

const errorOf = (object: JsonObject, patch: unknown): [number, string | undefined] => {
  try {
    applyStrategicMergePatch(object, patch, schema);
  } catch (error) {
    if (error instanceof StatusError) return [error.code, error.status.message];
    throw error;
  }
  throw new Error('nothing was thrown');
};

describe('applyStrategicMergePatch', () => {
  it.each(cases)('$name', ({ object, patch, want }) => {
    const before = JSON.stringify([object, patch]);
    expect(applyStrategicMergePatch(object, patch, schema)).toEqual(want);
    expect(JSON.stringify([object, patch])).toBe(before);
  });

  const object: JsonObject = {
    containers: [{ name: 'a' }],
    data: { k: 'v' },
    metadata: { finalizers: ['a'] },
    nested: { x: { a: '1' } },
    lists: [['a']],
  };
  const refused: [string, unknown, number, string][] = [
    ['an array', [], 400, 'json: cannot unmarshal array into Go value of type map[string]interface {}'],
    [
      'an item without its key',
      { containers: [{ image: 'x' }] },
      500,
      'map: map[image:x] does not contain declared merge key: name',
    ],
    [
      'a deletion without its key',
      { containers: [{ $patch: 'delete' }] },
      500,
      'map: map[$patch:delete] does not contain declared merge key: name',
    ],
    [
      'an unknown directive of a map',
      { data: { $patch: 'nope' } },
      500,
      'unknown patch type: nope in map: map[$patch:nope]',
    ],
    [
      'an unknown directive of an item',
      { containers: [{ name: 'a', $patch: 'x' }] },
      500,
      'unknown patch type: x in map: map[$patch:x name:a]',
    ],
    [
      'a merge directive of an item',
      { containers: [{ name: 'a', $patch: 'merge' }] },
      500,
      'merging lists cannot yet be specified in the patch',
    ],
    [
      'a scalar for an item',
      { containers: ['a'] },
      500,
      'list element types are not identical: [[map[name:a]] [a]]',
    ],
    [
      'a directive without a field',
      { $setElementOrder: [] },
      400,
      'invalid patch format of setElementOrder list',
    ],
    [
      'a deletion list without a field',
      { $deleteFromPrimitiveList: [] },
      400,
      'invalid patch format of primitive list',
    ],
    [
      'retainKeys that is not a list',
      { data: { $retainKeys: 'x' } },
      400,
      'invalid patch format of retainKeys',
    ],
    [
      'fields beside retainKeys',
      { data: { $retainKeys: ['a'], b: '1' } },
      400,
      'invalid patch format of retainKeys',
    ],
    [
      'an order that is not a list',
      { '$setElementOrder/containers': {} },
      500,
      'expected a []interface {}, but received a map[string]interface {}',
    ],
    [
      'another order than $setElementOrder',
      { metadata: { '$setElementOrder/finalizers': ['b', 'c'], finalizers: ['c', 'b'] } },
      500,
      "The order in patch list:\n[c b]\n doesn't match $setElementOrder list:\n[b c]\n",
    ],
    [
      'maps of maps',
      { nested: { x: { a: '2' } } },
      500,
      'merging an object in json but data type is not struct, instead is: map',
    ],
    [
      'lists of lists',
      { lists: [['b']] },
      422,
      'the server rejected our request due to an error in our request',
    ],
  ];
  it.each(refused)('refuses %s', (_name, patch, code, message) => {
    expect(errorOf(object, patch)).toEqual([code, message]);
  });

  it('merges long lists in one pass', () => {
    const items = Array.from({ length: 20_000 }, (_, i) => ({ name: `c${i}`, image: 'i' }));
    const order = items.map(({ name }) => ({ name })).reverse();
    const patched = applyStrategicMergePatch(
      { containers: items },
      { '$setElementOrder/containers': order, containers: order },
      schema,
    );
    expect((patched['containers'] as JsonObject[])[0]).toEqual({ name: 'c19999', image: 'i' });
  });
});

describe('long lists are merged in passes', () => {
  const items = (from: number, count: number, more: object = {}) =>
    Array.from({ length: count }, (_, i) => ({ name: `v${from + i}`, ...more }));
  const texts = (from: number, count: number) =>
    Array.from({ length: count }, (_, i) => `example.com/f${from + i}`);
  const inContainer = (env: object[], more: object = {}) => ({ containers: [{ name: 'c', env, ...more }] });
  const old = inContainer(items(0, 6000));
  const rows: [string, object, object, object][] = [
    [
      'items by a key',
      old,
      inContainer(items(3000, 6000, { value: 'a' })),
      inContainer([...items(0, 3000), ...items(3000, 6000, { value: 'a' })]),
    ],
    [
      'items in another order',
      old,
      inContainer([], { '$setElementOrder/env': items(0, 6000).toReversed() }),
      inContainer(items(0, 6000).toReversed()),
    ],
    ['deleted items', old, inContainer(items(0, 5999, { $patch: 'delete' })), inContainer(items(5999, 1))],
    ['a new list', { containers: [{ name: 'c' }] }, old, old],
    [
      'texts',
      { metadata: { finalizers: texts(0, 6000) } },
      { metadata: { finalizers: texts(3000, 6000) } },
      { metadata: { finalizers: texts(0, 9000) } },
    ],
    [
      'deleted texts',
      { metadata: { finalizers: texts(0, 6000) } },
      { metadata: { '$deleteFromPrimitiveList/finalizers': texts(1, 5999) } },
      { metadata: { finalizers: texts(0, 1) } },
    ],
  ];
  it.each(rows)('%s', (_name, object, patch, expected) => {
    let passes = 0;
    const merging = applyStrategicMergePatchInPasses(object as JsonObject, patch, schema);
    for (let step = merging.next(); ; step = merging.next()) {
      if (step.done === true) {
        expect(step.value).toEqual(expected);
        break;
      }
      passes++;
    }
    expect(passes).toBeGreaterThan(10);
  });
});
