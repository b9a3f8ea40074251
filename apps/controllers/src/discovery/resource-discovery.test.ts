import { describe, expect, it } from 'vitest';
import { type ApiResource, KindMapping, resourcePath } from './resource-discovery.ts';

const resource = (group: string, version: string, kind: string, namespaced = true): ApiResource => ({
  group,
  version,
  resource: `${kind.toLowerCase()}s`,
  kind,
  namespaced,
  verbs: new Set(),
});

describe('the resource of a kind', () => {
  const mapping = new KindMapping({
    resources: [
      resource('', 'v1', 'ConfigMap'),
      resource('ex.com', 'v1', 'Foo'),
      resource('ex.com', 'v1beta1', 'Foo'),
      resource('ex.com', 'v1beta1', 'Old'),
    ],
  });

  it.each([
    ['that of the requested version', 'ex.com/v1beta1', 'Foo', 'v1beta1'],
    ['that of the core group', 'v1', 'ConfigMap', 'v1'],
    ['none of a version that is not served', 'ex.com/v9', 'Foo', undefined],
    ['none of a version without the kind', 'ex.com/v1', 'Old', undefined],
    ['none of another group', 'v1', 'Foo', undefined],
    ['none of a kind that is not served', 'ex.com/v1', 'Bar', undefined],
  ])('is %s', (_, apiVersion, kind, version) => {
    expect(mapping.find(apiVersion, kind)?.version).toBe(version);
  });
});

it.each([
  ['an object of the core group', resource('', 'v1', 'Secret'), 'a', 'b', '/api/v1/namespaces/a/secrets/b'],
  ['a collection over all namespaces', resource('ex.com', 'v1', 'Foo'), '', '', '/apis/ex.com/v1/foos'],
  [
    'an object without a namespace',
    resource('ex.com', 'v1', 'Foo', false),
    'a',
    'b',
    '/apis/ex.com/v1/foos/b',
  ],
  [
    'a name that needs escaping',
    resource('', 'v1', 'Role', false),
    '',
    'system:a b',
    '/api/v1/roles/system%3Aa%20b',
  ],
])('the path of %s', (_, of, namespace, name, path) => {
  expect(resourcePath(of, namespace, name)).toBe(path);
});
