import { type JsonObject } from '@annex/machinery';
import type { DiscoverySource, GroupDiscovery, ResourceDiscovery, VersionDiscovery } from '../app.ts';
import type { KindRegistry } from '../kind-registry.ts';
import type { ResourceKind } from '../resource-kind.ts';

/** The OpenAPI documents of the kinds of a registry. */
export interface OpenApiDocuments {
  paths(): string[];
  document(path: string): JsonObject | undefined | Promise<JsonObject | undefined>;
  /** See {@link DiscoverySource.openapiHash}. */
  hash?(path: string): string | undefined;
}

/** The discovery of the kinds of a registry, made anew after each change of it, when it is first asked for. */
export function registryDiscovery(kinds: KindRegistry, documents: OpenApiDocuments): DiscoverySource {
  let groups: GroupDiscovery[] | undefined;
  kinds.onChange(() => (groups = undefined));
  return {
    groups: () => (groups ??= discoverGroups(kinds.kinds())),
    openapiPaths: () => documents.paths(),
    openapi: (path) => documents.document(path),
    openapiHash: (path) => documents.hash?.(path),
    onChange: (listener) => kinds.onChange(listener),
  };
}

function discoverGroups(kinds: Iterable<ResourceKind>): GroupDiscovery[] {
  const groups = new Map<string, Map<string, VersionDiscovery>>();
  for (const kind of kinds) {
    const versions = groups.get(kind.group) ?? new Map<string, VersionDiscovery>();
    groups.set(kind.group, versions);
    const version = versions.get(kind.version) ?? {
      version: kind.version,
      resources: [],
      freshness: 'Current',
    };
    versions.set(kind.version, version);
    version.resources.push(resourceDiscovery(kind));
  }
  return [...groups].map(([name, versions]) => ({
    metadata: name === '' ? {} : { name },
    versions: [...versions.values()],
  }));
}

const described = new WeakMap<ResourceKind, ResourceDiscovery>();

/** The entry of a kind in aggregated discovery, made once: never change it. */
export function resourceDiscovery(kind: ResourceKind): ResourceDiscovery {
  let entry = described.get(kind);
  if (entry === undefined) described.set(kind, (entry = describe(kind)));
  return entry;
}

/** Built-in kinds leave their own group and version empty, as kube does. */
function describe(kind: ResourceKind): ResourceDiscovery {
  const type = (of: { group: string; version: string; kind: string }) =>
    !kind.custom && of.group === kind.group && of.version === kind.version
      ? { group: '', version: '', kind: of.kind }
      : { group: of.group, version: of.version, kind: of.kind };
  const subresources = Object.entries(kind.subresources).map(([subresource, spec]) => ({
    subresource,
    responseKind: type(spec),
    verbs: [...spec.verbs],
  }));
  return {
    resource: kind.resource,
    responseKind: type(kind),
    scope: kind.namespaced ? 'Namespaced' : 'Cluster',
    singularResource: kind.singular,
    verbs: [...(kind.listedVerbs ?? kind.verbs)],
    ...(kind.shortNames.length > 0 ? { shortNames: [...kind.shortNames] } : {}),
    ...(kind.categories.length > 0 ? { categories: [...kind.categories] } : {}),
    ...(subresources.length > 0 ? { subresources } : {}),
  };
}
