import { group, textOf } from '../large-objects.ts';
import { custom, post, range, remove, row, type RequestGroup } from './request-group.ts';

const extended = `${custom}/extended`;
const policed = `${custom}/policed`;
const objectOf = (kind: string, name: string, spec: object) => ({
  apiVersion: `${group}/v1`,
  kind,
  metadata: { name },
  spec,
});
const items = (count: number, characters: number) =>
  range(count, (i) => ({ name: `item-${i}`, size: i, note: textOf(characters) }));

/** Objects that webhooks and policies change. */
export const mutations: RequestGroup = {
  name: 'mutations',
  rows: () => [
    row('webhook, 10,000 operations', post(extended, objectOf('Extended', 'few', {}))),
    row(
      'webhook, the same on 1 MB',
      post(extended, objectOf('Extended', 'large', { items: items(5000, 100) })),
    ),
    row('delete them', remove(extended)),
    row('policy, 5,000 operations', post(policed, objectOf('Policed', 'many', { items: items(5000, 100) }))),

    row('delete them', remove(policed)),
  ],
};
