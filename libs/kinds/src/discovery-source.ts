import type { JsonObject } from '@annex/machinery';
import type { CustomKind } from './custom-kind.ts';

/** `items[]` of an `apidiscovery.k8s.io/v2` APIGroupDiscoveryList. */
export interface GroupDiscovery {
  /** The core group has no name. */
  metadata: { name?: string; creationTimestamp?: null };
  versions: VersionDiscovery[];
}

export interface VersionDiscovery {
  version: string;
  resources: ResourceDiscovery[];
  freshness?: 'Current' | 'Stale';
}

export interface ResourceDiscovery {
  resource: string;
  responseKind: { group: string; version: string; kind: string };
  scope: 'Namespaced' | 'Cluster';
  singularResource: string;
  verbs: string[];
  shortNames?: string[];
  categories?: string[];
  subresources?: {
    subresource: string;
    responseKind: { group: string; version: string; kind: string };
    /** The kinds that requests may contain, if they differ from the kind of the response. */
    acceptedTypes?: { group: string; version: string; kind: string }[];
    verbs: string[];
  }[];
}

/** A version of a group. */
export interface GroupVersion {
  group: string;
  version: string;
}

/** The contribution of one server to `/api`, `/apis` and `/openapi`. */
export interface DiscoverySource {
  groups(): GroupDiscovery[] | Promise<GroupDiscovery[]>;
  /** Returns the versions of all groups, if they are known without the description of their kinds. */
  groupVersions?(): GroupVersion[];
  /** Returns the group-versions with an OpenAPI document: `api/v1`, `apis/apps/v1`, … */
  openapiPaths(): string[] | Promise<string[]>;
  /** Returns the OpenAPI v3 document of one path, built at its first request. */
  openapi(path: string): JsonObject | undefined | Promise<JsonObject | undefined>;
  /** Returns a text that changes with the document. Without it, the document is built to detect changes. */
  openapiHash?(path: string): string | undefined;
  /** Returns the kinds that the document of a path describes, if all of them are custom. */
  openapiKinds?(path: string): readonly CustomKind[] | undefined;
  /** Calls the listener after every change. Returns a function that removes it. */
  onChange(listener: () => void): () => void;
}
