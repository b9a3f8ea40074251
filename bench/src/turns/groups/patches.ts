import { byKey } from '../large-objects.ts';
import { media } from '../turn-row.ts';
import { freeOf, lists, maps, patch, post, range, remove, row, type RequestGroup } from './request-group.ts';

export const patches: RequestGroup = {
  name: 'patches',
  rows: () => [
    row(
      '10,000 adds',
      patch(
        `${maps}/p`,
        media.jsonPatch,
        range(10_000, (i) => ({ op: 'add', path: `/data/k${i}`, value: `v${i}` })),
      ),
      {
        before: [post(maps, { metadata: { name: 'p' }, data: { a: 'b' } })],
      },
    ),
    row(
      '10,000 removes',
      patch(
        `${maps}/p`,
        media.jsonPatch,
        range(10_000, (i) => ({ op: 'remove', path: `/data/k${i}` })),
      ),
    ),
    row(
      '10,000 inserts',
      patch(
        `${lists}/l`,
        media.jsonPatch,
        range(10_000, (i) => ({ op: 'add', path: '/spec/items/0', value: i })),
      ),
      {
        before: [post(lists, freeOf('l', { items: range(50_000, (i) => i) }))],
      },
    ),
    row(
      '10,000 moves',
      patch(
        `${lists}/l`,
        media.jsonPatch,
        range(10_000, () => ({ op: 'move', from: '/spec/items/0', path: '/spec/items/-' })),
      ),
    ),
    row(
      '1,000 tests of a list',
      patch(`${lists}/l`, media.jsonPatch, [
        { op: 'copy', from: '/spec/items', path: '/spec/other' },
        ...range(20, () => ({ op: 'test', path: '/spec/other', value: range(5000, (i) => i) })),
      ]),
      { expected: 422 },
    ),
    row(
      '10,000 copies',
      patch(
        `${lists}/l`,
        media.jsonPatch,
        range(10_000, (i) => ({ op: 'copy', from: '/spec/items/0', path: `/spec/c${i}` })),
      ),
    ),
    row(
      'copies, too long',
      patch(
        `${lists}/l`,
        media.jsonPatch,
        range(100, (i) => ({ op: 'copy', from: '/spec/items', path: `/spec/d${i}` })),
      ),
      { expected: 422 },
    ),
    row(
      'merge of 35,000 keys',
      patch(`${maps}/p`, media.merge, { data: byKey(35_000, (i) => [`k${i}`, 'y']) }),
    ),
    row(
      'merge, 35,000 nulls',
      patch(`${maps}/p`, media.merge, { data: byKey(35_000, (i) => [`k${i}`, null]) }),
    ),
    row(
      'strategic, 20,000 finalizers',
      patch(`${maps}/p`, media.strategic, { metadata: { finalizers: range(20_000, (i) => `a.b/f${i}`) } }),
    ),
    row(
      'strategic, removed finalizers',
      patch(`${maps}/p`, media.strategic, {
        metadata: { '$deleteFromPrimitiveList/finalizers': range(20_000, (i) => `a.b/f${i}`) },
      }),
    ),
    row(
      'strategic, order',
      patch(`${maps}/p`, media.strategic, {
        metadata: {
          '$setElementOrder/finalizers': range(20_000, (i) => `a.b/g${i}`),
          finalizers: range(20_000, (i) => `a.b/g${19_999 - i}`),
        },
      }),
      { expected: 500 },
    ),
    row('no finalizers', patch(`${maps}/p`, media.merge, { metadata: { finalizers: null } })),
    row(
      'strategic, 10,000 owners',
      patch(`${maps}/p`, media.strategic, {
        metadata: {
          ownerReferences: range(10_000, (i) => ({
            apiVersion: 'v1',
            kind: 'ConfigMap',
            name: `a${i}`,
            uid: `uid-${i}`,
          })),
        },
      }),
    ),
    row('delete', remove(`${maps}/p`)),
    row('delete other', remove(`${lists}/l`)),
  ],
};
