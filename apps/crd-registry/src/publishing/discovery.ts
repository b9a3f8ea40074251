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
import { eachInSlices } from '@annex/runtime';

/** Returns the discovery of CRDs and of custom resources. */
export function customDiscovery(kinds: KindRegistry, documents: OpenApiDocuments): DiscoverySource {
  const source = registryDiscovery(kinds, documents, describeGroup);
  return {
    ...source,
    async groups() {
      // The entries of kinds are kept: there can be ten thousand new ones.
      await eachInSlices(kinds.kinds(), resourceDiscovery);
      return await source.groups();
    },
  };
}

/** kube's order for custom resources: versions by priority, resources by name. */
const describeGroup: DescribeGroup = (name, kinds) => {
  const custom = kinds.filter(({ behavior }) => behavior.router === 'custom');
  if (custom.length === 0) return groupDiscovery(name, kinds);
  const { versions, ...group } = groupDiscovery(name, custom);
  for (const { resources } of versions) resources.sort((a, b) => (a.resource < b.resource ? -1 : 1));
  return { ...group, versions: versions.sort((a, b) => compareApiVersions(a.version, b.version)) };
};
