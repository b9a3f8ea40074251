import { compareApiVersions } from '@annex/machinery';
import {
  type DiscoverySource,
  type GroupDiscovery,
  type KindRegistry,
  type OpenApiDocuments,
  registryDiscovery,
  resourceDiscovery,
  type VersionDiscovery,
} from '@annex/server';

/**
 * The discovery of CRDs and of custom resources. kube prints the latter in its own way: versions by priority, resources by
 * name, and every kind with its group and version.
 */
export function customDiscovery(kinds: KindRegistry, documents: OpenApiDocuments): DiscoverySource {
  const source = registryDiscovery(kinds, documents);
  let groups: GroupDiscovery[] | undefined;
  kinds.onChange(() => (groups = undefined));
  return {
    ...source,
    async groups() {
      if (groups !== undefined) return groups;
      const custom = customGroups(kinds);
      return (groups = (await source.groups()).map(
        (group) => custom.get(group.metadata.name ?? '') ?? group,
      ));
    },
  };
}

function customGroups(kinds: KindRegistry): Map<string, GroupDiscovery> {
  const groups = new Map<string, Map<string, VersionDiscovery>>();
  for (const kind of kinds.kinds()) {
    if (!kind.custom) continue;
    const versions = groups.get(kind.group) ?? new Map<string, VersionDiscovery>();
    groups.set(kind.group, versions);
    const version = versions.get(kind.version) ?? newVersion(kind.version);
    versions.set(kind.version, version);
    version.resources.push(resourceDiscovery(kind));
  }
  return new Map([...groups].map(([name, versions]) => [name, groupOf(name, [...versions.values()])]));
}

const newVersion = (version: string): VersionDiscovery => ({ version, resources: [], freshness: 'Current' });

function groupOf(name: string, versions: VersionDiscovery[]): GroupDiscovery {
  for (const { resources } of versions) resources.sort((a, b) => (a.resource < b.resource ? -1 : 1));
  return { metadata: { name }, versions: versions.sort((a, b) => compareApiVersions(a.version, b.version)) };
}
