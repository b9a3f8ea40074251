import { byKey } from '../large-objects.ts';
import { media, type TurnRow } from '../turn-row.ts';
import { freeOf, lists, maps, patch, post, range, remove, row, type RequestGroup } from './request-group.ts';

const numbers = byKey(39_000, (i) => [`k${i}`, i]);
const unknown = byKey(39_000, (i) => [`k${i}`, {}]);
const strict = 'fieldValidation=Strict';

const refused = (name: string, path: string, type: string, body: object, more: Partial<TurnRow> = {}) =>
  row(name, patch(path, type, body), { expected: 422, ...more });

/** Patches whose result is refused, with an error that quotes it. */
export const refusedPatches: RequestGroup = {
  name: 'refused patches',
  rows: () => [
    refused(
      'strategic, 39,000 wrong members',
      `${maps}/r`,
      media.strategic,
      { data: numbers },
      { before: [post(maps, { metadata: { name: 'r' }, data: { a: 'b' } })] },
    ),
    refused('merge, 39,000 wrong members', `${maps}/r`, media.merge, { data: numbers }),
    refused('JSON patch, 39,000 wrong members', `${maps}/r`, media.jsonPatch, [
      { op: 'add', path: '/data', value: numbers },
    ]),
    refused(
      'JSON patch, 10,000 wrong members',
      `${maps}/r`,
      media.jsonPatch,
      range(10_000, (i) => ({ op: 'add', path: `/data/k${i}`, value: i })),
    ),
    refused('strategic, 39,000 unknown fields', `${maps}/r?${strict}`, media.strategic, unknown),
    refused('merge, 39,000 unknown fields', `${maps}/r?${strict}`, media.merge, unknown),
    refused('strategic, 30,000 wrong owners', `${maps}/r`, media.strategic, {
      metadata: { ownerReferences: range(30_000, (i) => ({ uid: `u${i}`, name: i })) },
    }),
    refused(
      'strategic, items of two types',
      `${maps}/r`,
      media.strategic,
      { metadata: { finalizers: [...range(100_000, (i) => `a.b/f${i}`), 1] } },
      { before: [patch(`${maps}/r`, media.merge, { metadata: { finalizers: ['a.b/c'] } })], expected: 500 },
    ),
    refused(
      'custom, a kind that is a list',
      `${lists}/r`,
      media.merge,
      { kind: numbers },
      { before: [post(lists, freeOf('r', { a: 'b' }))] },
    ),
    refused('custom, 39,000 wrong labels', `${lists}/r`, media.merge, { metadata: { labels: numbers } }),
    row('delete other', remove(`${lists}/r`), {
      after: [patch(`${maps}/r`, media.merge, { metadata: { finalizers: null } }), remove(`${maps}/r`)],
    }),
  ],
};
