import type { ResourceDiscovery, ResourceKind } from '@annex/server';

/** The entry of a custom kind in aggregated discovery. Unlike built-in ones it names its group and version. */
export function resourceDiscovery(kind: ResourceKind): ResourceDiscovery {
  const { group, version } = kind;
  const subresources = Object.entries(kind.subresources).map(([subresource, spec]) => ({
    subresource,
    responseKind: { group: spec.group, version: spec.version, kind: spec.kind },
    verbs: [...spec.verbs],
  }));
  return {
    resource: kind.resource,
    responseKind: { group, version, kind: kind.kind },
    scope: kind.namespaced ? 'Namespaced' : 'Cluster',
    singularResource: kind.singular,
    verbs: [...(kind.listedVerbs ?? kind.verbs)],
    ...(kind.shortNames.length > 0 ? { shortNames: [...kind.shortNames] } : {}),
    ...(kind.categories.length > 0 ? { categories: [...kind.categories] } : {}),
    ...(subresources.length > 0 ? { subresources } : {}),
  };
}
