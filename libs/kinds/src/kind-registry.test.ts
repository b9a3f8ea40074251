import { compileStructural } from '@annex/schema';
import { expect, it } from 'vitest';
import { registryDiscovery } from './registry-discovery.ts';
import { customBehavior } from './kind-behavior.ts';
import { KindRegistry } from './kind-registry.ts';
import type { ResourceKind } from './resource-kind.ts';

const kindOf = (group: string, version: string, resource: string): ResourceKind => ({
  group,
  version,
  kind: resource,
  listKind: `${resource}List`,
  resource,
  singular: resource,
  namespaced: true,
  shortNames: [],
  categories: [],
  verbs: ['get'],
  behavior: customBehavior,
  schema: compileStructural({ type: 'object' }),
  strategy: {},
  subresources: {},
  columns: [],
  selectableFields: new Map(),
});

it('reports the changed group, and removes a group with its last kind', () => {
  const kinds = new KindRegistry();
  const changed: string[] = [];
  kinds.onChange((group) => changed.push(group));
  kinds.add(kindOf('a.io', 'v1', 'ants'));
  kinds.add(kindOf('b.io', 'v1', 'bees'));
  kinds.remove(kindOf('b.io', 'v2', 'bees'));
  expect([...kinds.groups()]).toEqual(['a.io', 'b.io']);
  kinds.remove(kindOf('a.io', 'v1', 'ants'));
  expect(changed).toEqual(['a.io', 'b.io', 'a.io']);
  expect([[...kinds.groups()], kinds.hasGroup('a.io'), kinds.hasVersion('a.io', 'v1')]).toEqual([
    ['b.io'],
    false,
    false,
  ]);
});

it('lists the versions that have kinds', () => {
  const kinds = new KindRegistry();
  kinds.add(kindOf('a.io', 'v1', 'ants'));
  kinds.add(kindOf('b.io', 'v1', 'bees'));
  kinds.add(kindOf('a.io', 'v1', 'apes'));
  kinds.remove(kindOf('a.io', 'v1', 'ants'));
  kinds.remove(kindOf('b.io', 'v1', 'bees'));
  kinds.add(kindOf('a.io', 'v2', 'ants'));
  const source = registryDiscovery(kinds, { paths: () => [], document: () => undefined });
  expect(source.groupVersions?.()).toEqual([
    { group: 'a.io', version: 'v1' },
    { group: 'a.io', version: 'v2' },
  ]);
});

it('does not change the discovery of other groups', async () => {
  const kinds = new KindRegistry();
  kinds.add(kindOf('a.io', 'v1', 'ants'));
  kinds.add(kindOf('b.io', 'v1', 'bees'));
  const source = registryDiscovery(kinds, { paths: () => [], document: () => undefined });
  const [ants] = await source.groups();
  kinds.add(kindOf('b.io', 'v2', 'bees'));
  const [same, bees] = await source.groups();
  expect(same).toBe(ants);
  expect(bees?.versions.map(({ version }) => version)).toEqual(['v1', 'v2']);
});
