import { compareApiVersions } from '@annex/machinery';
import {
  type DescribeGroup,
  type DiscoverySource,
  groupDiscovery,
  type KindRegistry,
  type OpenApiDocuments,
  registryDiscovery,
  resourceDiscovery,
} from '@annex/kinds';
import { createPacer } from '@annex/runtime';

/** Returns the discovery of CRDs and of custom resources. */
export function customDiscovery(kinds: KindRegistry, documents: OpenApiDocuments): DiscoverySource {
  const source = registryDiscovery(kinds, documents, describeGroup);
  return { ...source, groups: () => describeAhead(kinds).then(() => source.groups()) };
}

/** Makes the entries of all kinds, which are kept, in slices: there can be ten thousand new ones. */
async function describeAhead(kinds: KindRegistry): Promise<void> {
  const pace = createPacer();
  for (const kind of kinds.kinds()) {
    resourceDiscovery(kind);
    const paused = pace();
    if (paused !== undefined) await paused;
  }
}

/** kube's order for custom resources: versions by priority, resources by name. */
const describeGroup: DescribeGroup = (name, kinds) => {
  const custom = kinds.filter(({ behavior }) => behavior.router === 'custom');
  if (custom.length === 0) return groupDiscovery(name, kinds);
  const { versions, ...group } = groupDiscovery(name, custom);
  for (const { resources } of versions) resources.sort((a, b) => (a.resource < b.resource ? -1 : 1));
  return { ...group, versions: versions.sort((a, b) => compareApiVersions(a.version, b.version)) };
};
