import type { JsonObject } from '@annex/machinery';
import { describe, expect, it } from 'vitest';
import type { SchemaNode } from '../node.ts';
import { struct, text } from '../typed-values/typed-testdata.ts';
import { patchAfterMerge } from './patch-after-merge.ts';

const merged = (fields: Record<string, SchemaNode>): SchemaNode => ({
  type: 'array',
  items: struct(fields),
  patchStrategy: 'merge',
  patchMergeKey: 'name',
});
const env = merged({ name: text, value: text });
const schema = struct({
  containers: merged({ name: text, image: text, env, args: { type: 'array', items: text } }),
  strategy: struct({ type: text }, { patchStrategy: 'retainKeys' }),
  selector: struct(
    { matchLabels: { type: 'object', additionalProperties: text } },
    { patchStrategy: 'replace' },
  ),
});

const cases: [what: string, object: JsonObject, patch: JsonObject, left: JsonObject][] = [
  [
    'a list with an order is taken out, with its order',
    { containers: [{ name: 'a' }] },
    { containers: [{ name: 'a', image: 5 }], '$setElementOrder/containers': [{ name: 'a' }] },
    {},
  ],
  [
    'an order without a list too',
    { containers: [{ name: 'a' }] },
    { '$setElementOrder/containers': [{ name: 'a' }], strategy: { type: 'x' } },
    { strategy: { type: 'x' } },
  ],
  [
    'orders in the items of a list that has none',
    { containers: [{ name: 'a', env: [{ name: 'E' }] }] },
    { containers: [{ name: 'a', env: [{ name: 'E', value: 5 }], '$setElementOrder/env': [{ name: 'E' }] }] },
    { containers: [{ name: 'a' }] },
  ],
  [
    'new items stay as they are, and items with directives',
    { containers: [{ name: 'a', env: [] }] },
    {
      containers: [
        { name: 'b', image: null, env: [{ name: 'E' }], '$setElementOrder/env': [{ name: 'E' }] },
        { name: 'a', $patch: 'delete' },
      ],
    },
    {
      containers: [
        { name: 'b', image: null, env: [{ name: 'E' }], '$setElementOrder/env': [{ name: 'E' }] },
        { name: 'a', $patch: 'delete' },
      ],
    },
  ],
  [
    'directives that were followed',
    { strategy: { type: 'x' } },
    { strategy: { $retainKeys: ['type'], type: 'y' } },
    { strategy: { type: 'y' } },
  ],
  [
    'nulls and directives of a map that is new, but not those that remove a member',
    { selector: { matchLabels: { a: 'b' } }, image: 'x' },
    {
      image: null,
      strategy: { type: null, other: { $patch: 'delete' }, list: [{ $patch: 'delete' }, { a: null, b: 1 }] },
      selector: { matchLabels: null },
    },
    { image: null, strategy: { list: [{ b: 1 }] }, selector: { matchLabels: null } },
  ],
  [
    'a list that is new keeps its items with directives',
    {},
    {
      containers: [
        { name: 'a', $patch: 'delete' },
        { name: 'b', image: null },
      ],
    },
    { containers: [{ name: 'a', $patch: 'delete' }, { name: 'b' }] },
  ],
  [
    'the directive of a replaced map',
    { strategy: {} },
    { strategy: { $patch: 'replace', a: 1 } },
    { strategy: { a: 1 } },
  ],
];

describe('patchAfterMerge', () => {
  it.each(cases)('%s', (_, object, patch, left) => {
    const before = structuredClone({ object, patch });
    expect(patchAfterMerge(object, patch, schema)).toEqual(left);
    expect({ object, patch }).toEqual(before);
  });

  it('leaves what is no object', () => expect(patchAfterMerge({}, null, schema)).toBeNull());
});
