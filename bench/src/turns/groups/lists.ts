import { textOf } from '../large-objects.ts';
import { media } from '../turn-row.ts';
import { get, post, range, remove, row, type RequestGroup } from './request-group.ts';

const many = '/api/v1/namespaces/many';
export const listing: RequestGroup = {
  name: 'lists of 5,000',
  rows: () => [
    row('namespace', post('/api/v1/namespaces', { metadata: { name: 'many' } })),
    row('JSON', get(`${many}/configmaps`), {
      before: range(5000, (i) =>
        post(`${many}/configmaps`, {
          metadata: { name: `m${i}`, labels: { a: `${i % 7}`, b: 'c' } },
          data: { a: 'b', c: textOf(200) },
        }),
      ),
    }),
    row('YAML', get(`${many}/configmaps`, media.yaml)),
    row('protobuf', get(`${many}/configmaps`, media.protobuf)),
    row('Table', get(`${many}/configmaps`, media.table)),
    row('Table with objects', get(`${many}/configmaps?includeObject=Object`, media.table)),
    row('metadata', get(`${many}/configmaps`, media.metadataList)),
    row('gzip', { ...get(`${many}/configmaps`), encoding: 'gzip' }),
    row('label', get(`${many}/configmaps?labelSelector=a%3D3`)),
    row(
      'long label selector',
      get(
        `${many}/configmaps?labelSelector=${encodeURIComponent(`a notin (${range(7000, (i) => `v${i}`).join(',')})`)}`,
      ),
    ),
    row(
      '5,000 label terms',
      get(`${many}/configmaps?labelSelector=${encodeURIComponent(range(5000, (i) => `!x${i}`).join(','))}`),
    ),
    row('field', get(`${many}/configmaps?fieldSelector=metadata.name%3Dm77`)),
    row(
      'fields',
      get(
        `${many}/configmaps?fieldSelector=${encodeURIComponent(range(1500, (i) => `metadata.name!=q${i}`).join(','))}`,
      ),
    ),
    row('page', get(`${many}/configmaps?limit=500`)),
    row('watch', get(`${many}/configmaps?watch=1`), { watched: 2_000_000 }),
    row(
      'streamed list',
      get(
        `${many}/configmaps?watch=1&sendInitialEvents=true&allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan`,
      ),
      { watched: 2_000_000 },
    ),
    row('delete all', remove(`${many}/configmaps`)),
    row('delete the namespace', remove('/api/v1/namespaces/many'), {
      before: range(2000, (i) =>
        post(`${many}/configmaps`, { metadata: { name: `m${i}` }, data: { a: 'b' } }),
      ),
      waitMs: 3000,
    }),
  ],
};
