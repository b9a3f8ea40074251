import type { GroupDiscovery, VersionDiscovery } from '@annex/kinds';

/** A version as APIGroup lists it. */
interface GroupVersion {
  groupVersion: string;
  version: string;
}

/** APIGroup of `meta/v1`, without its type. */
export interface ApiGroup {
  name: string;
  versions: GroupVersion[];
  preferredVersion: GroupVersion;
}

/** Creates the APIGroup of a group and its versions; the first is the preferred one. */
export function apiGroup(name: string, names: readonly string[]): ApiGroup {
  const versions = names.map((version) => ({ groupVersion: `${name}/${version}`, version }));
  return { name, versions, preferredVersion: versions[0] ?? { groupVersion: '', version: '' } };
}

/** The document of `/apis`. */
export const groupListDocument = (groups: ApiGroup[]) => ({ kind: 'APIGroupList', apiVersion: 'v1', groups });

/** The document of `/apis/<group>`. */
export const groupDocument = (group: ApiGroup) => ({ kind: 'APIGroup', apiVersion: 'v1', ...group });

/** The document of `/api` and `/apis` in aggregated form. */
export const aggregatedDocument = (items: GroupDiscovery[]) => ({
  kind: 'APIGroupDiscoveryList',
  apiVersion: 'apidiscovery.k8s.io/v2',
  metadata: {},
  items,
});

/** Returns a version in the form of the aggregated document: without an empty list of resources. */
export function aggregatedVersion({ version, resources, freshness }: VersionDiscovery): VersionDiscovery {
  const own = { version, freshness: freshness ?? 'Current' };
  return (
    resources.length === 0 ? own : { version, resources, freshness: own.freshness }
  ) as VersionDiscovery;
}
