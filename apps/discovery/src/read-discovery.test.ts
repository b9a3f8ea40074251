import { finish } from '@annex/machinery';
import { describe, expect, it } from 'vitest';
import { readAggregated, readLegacy } from './read-discovery.ts';

const noKind = { group: '', version: '', kind: '' };

describe('an APIGroupDiscoveryList', () => {
  const listed = (...resources: unknown[]) => ({
    items: [{ metadata: { name: 'a.io' }, versions: [{ version: 'v1', resources }] }],
  });

  it('is parsed as by kube-apiserver: with defaults for missing members, and without unknown members', () => {
    const document = listed(
      {
        resource: 'foos',
        scope: 'Namespaced',
        verbs: ['get'],
        unknown: 5,
        shortNames: [],
        categories: ['all'],
        subresources: [
          { subresource: 'status', verbs: ['get'], acceptedTypes: [{ kind: 'A' }], more: 1 },
          {},
        ],
      },
      null,
    );
    expect(finish(readAggregated(document as never)).get('a.io/v1')).toEqual({
      version: 'v1',
      resources: [
        {
          resource: 'foos',
          responseKind: noKind,
          scope: 'Namespaced',
          singularResource: '',
          verbs: ['get'],
          categories: ['all'],
          subresources: [
            {
              subresource: 'status',
              responseKind: noKind,
              acceptedTypes: [{ group: '', version: '', kind: 'A' }],
              verbs: ['get'],
            },
            { subresource: '', responseKind: noKind, verbs: null },
          ],
        },
        { resource: '', responseKind: noKind, scope: '', singularResource: '', verbs: null },
      ],
    });
  });

  it.each<[string, unknown]>([
    ['groups that are a number', { items: 5 }],
    ['a group that is a string', { items: ['x'] }],
    ['a resource that is a list', listed([])],
    ['verbs that are a string', listed({ verbs: 'get' })],
    ['a kind that is a text', listed({ responseKind: 'Foo' })],
    ['a name that is a number', listed({ resource: 5 })],
  ])('cannot be parsed with %s', (_what, document) => {
    expect(() => finish(readAggregated(document as never))).toThrow('it has another value where');
  });
});

describe('an APIResourceList', () => {
  const verbs = ['get'];

  it('is converted to the aggregated form, with subresources of any depth, and those without a resource', () => {
    const resources = [
      { name: 'foos', kind: 'Foo', verbs, shortNames: ['f'], group: 'g', version: 'v' },
      { name: 'foos/a/b', kind: 'C', verbs },
      { name: 'orphans/status', namespaced: true, verbs },
    ];
    expect(finish(readLegacy({ resources } as never))).toEqual([
      {
        resource: 'foos',
        responseKind: { group: 'g', version: 'v', kind: 'Foo' },
        scope: 'Cluster',
        singularResource: '',
        verbs,
        shortNames: ['f'],
        subresources: [{ subresource: 'a/b', responseKind: { ...noKind, kind: 'C' }, verbs }],
      },
      {
        resource: 'orphans',
        responseKind: noKind,
        scope: 'Namespaced',
        singularResource: '',
        verbs: null,
        subresources: [{ subresource: 'status', responseKind: noKind, verbs }],
      },
    ]);
  });

  it('is rejected if a subresource has another scope than its resource', () => {
    const resources = [{ name: 'foos', namespaced: true }, { name: 'foos/status' }];
    expect(() => finish(readLegacy({ resources } as never))).toThrow(
      'foos and its status have different scopes',
    );
  });
});
