import { type JsonObject } from '@annex/machinery';
import type { CustomKind } from './custom-kind.ts';
import type {
  DiscoverySource,
  GroupDiscovery,
  ResourceDiscovery,
  VersionDiscovery,
} from './discovery-source.ts';
import type { KindRegistry } from './kind-registry.ts';
import type { ResourceKind } from './resource-kind.ts';

/** The OpenAPI documents of the kinds of a registry. */
export interface OpenApiDocuments {
  paths(): string[];
  document(path: string): JsonObject | undefined | Promise<JsonObject | undefined>;
  /** See {@link DiscoverySource.openapiHash}. */
  hash?(path: string): string | undefined;
  /** See {@link DiscoverySource.openapiKinds}. */
  kinds?(path: string): readonly CustomKind[] | undefined;
}

/** Returns the discovery document of a group with these kinds. */
export type DescribeGroup = (name: string, kinds: readonly ResourceKind[]) => GroupDiscovery;

/**
 * Creates the discovery of a registry. After a change, the entry of the changed group is rebuilt at its next
 * use.
 */
export function registryDiscovery(
  kinds: KindRegistry,
  documents: OpenApiDocuments,
  describe: DescribeGroup = groupDiscovery,
): DiscoverySource {
  const made = new Map<string, GroupDiscovery>();
  kinds.onChange((group) => made.delete(group));
  const discover = (name: string): GroupDiscovery => {
    let group = made.get(name);
    if (group === undefined) made.set(name, (group = describe(name, [...kinds.ofGroup(name)])));
    return group;
  };
  return {
    groups: () => [...kinds.groups()].map(discover),
    groupVersions: () => kinds.groupVersions(),
    openapiPaths: () => documents.paths(),
    openapi: (path) => documents.document(path),
    openapiHash: (path) => documents.hash?.(path),
    openapiKinds: (path) => documents.kinds?.(path),
    onChange: (listener) => kinds.onChange(listener),
  };
}

/** Describes a group with its versions and their resources, in the order of the kinds. */
export const groupDiscovery: DescribeGroup = (name, kinds) => {
  const versions = new Map<string, VersionDiscovery>();
  for (const kind of kinds) {
    const { version } = kind;
    const entry = versions.get(version) ?? { version, resources: [], freshness: 'Current' };
    versions.set(version, entry);
    entry.resources.push(resourceDiscovery(kind));
  }
  return { metadata: name === '' ? {} : { name }, versions: [...versions.values()] };
};

const described = new WeakMap<ResourceKind, ResourceDiscovery>();

/** Returns the entry of a kind in aggregated discovery. Created once and read-only. */
export function resourceDiscovery(kind: ResourceKind): ResourceDiscovery {
  let entry = described.get(kind);
  if (entry === undefined) described.set(kind, (entry = describeKind(kind)));
  return entry;
}

/** Built-in kinds have an empty group and version, as in kube-apiserver. */
function describeKind(kind: ResourceKind): ResourceDiscovery {
  const type = (of: { group: string; version: string; kind: string }) =>
    kind.behavior.typed && of.group === kind.group && of.version === kind.version
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
