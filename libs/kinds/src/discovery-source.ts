import type { JsonObject } from '@annex/machinery';

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
    /** The kinds that may be sent, where they differ from the one that is answered. */
    acceptedTypes?: { group: string; version: string; kind: string }[];
    verbs: string[];
  }[];
}

/** What one server contributes to `/api`, `/apis` and `/openapi`. */
export interface DiscoverySource {
  groups(): GroupDiscovery[] | Promise<GroupDiscovery[]>;
  /** `api/v1`, `apis/apps/v1`, …: the group-versions with an OpenAPI document. */
  openapiPaths(): string[] | Promise<string[]>;
  /** The OpenAPI v3 document of one path, built when it is first asked for. */
  openapi(path: string): JsonObject | undefined | Promise<JsonObject | undefined>;
  /**
   * A word that changes whenever the document does. Where it is missing, the document is made to find out whether it
   * changed.
   */
  openapiHash?(path: string): string | undefined;
  /** Calls the listener after every change; returns the function that ends it. */
  onChange(listener: () => void): () => void;
}
