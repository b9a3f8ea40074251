import { finish, isObject, type JsonValue, parseJson } from '@annex/machinery';
import { type FuzzTarget, orError, utf8Text } from '@annex/testkit';
import { readAggregated, readLegacy } from './read-discovery.ts';

const resource = {
  resource: 'ws',
  responseKind: { group: 'g', version: 'v1', kind: 'W' },
  scope: 'Namespaced',
  singularResource: 'w',
  verbs: ['get'],
  shortNames: ['x'],
  categories: ['all'],
  subresources: [{ subresource: 'status', responseKind: { kind: 'W' }, verbs: ['get'] }],
};

export const fuzzTargets: FuzzTarget[] = [
  {
    name: 'discovery',
    seeds: [
      JSON.stringify({
        kind: 'APIGroupDiscoveryList',
        items: [
          {
            metadata: { name: 'g' },
            versions: [{ version: 'v1', resources: [resource], freshness: 'Current' }],
          },
        ],
      }),
      JSON.stringify({
        kind: 'APIResourceList',
        groupVersion: 'g/v1',
        resources: [
          { name: 'ws', singularName: 'w', namespaced: true, kind: 'W', verbs: ['get'] },
          { name: 'ws/status', kind: 'W', verbs: ['get'] },
        ],
      }),
    ],
    dictionary: ['null', '[]', '{}', '1', '"name"', '"a/b/c"', '"verbs"', '"__proto__"', '"subresources"'],
    run(input) {
      const document = orError((): JsonValue => parseJson(utf8Text(input)), [SyntaxError]);
      if (document instanceof Error || !isObject(document)) return;
      orError(() => finish(readAggregated(document)), [Error]);
      orError(() => finish(readLegacy(document)), [Error]);
    },
  },
];
