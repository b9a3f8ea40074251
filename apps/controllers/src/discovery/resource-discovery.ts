import { groupVersion, parseGroupVersion } from '@annex/machinery';
import type { Api } from '../api.ts';

/** A resource that the API server serves. */
export interface ApiResource {
  group: string;
  version: string;
  resource: string;
  kind: string;
  namespaced: boolean;
  verbs: ReadonlySet<string>;
}

/** The content of the discovery documents. */
export interface Discovered {
  /** The resources of every served version. */
  resources: readonly ApiResource[];
  /** The resources of the preferred version, or of the first version that has them. */
  preferred: readonly ApiResource[];
  /** `group/version` of versions whose discovery failed, because their server does not respond. */
  stale: ReadonlySet<string>;
}

interface GroupDiscoveryList {
  items: {
    metadata?: { name?: string };
    versions?: {
      version: string;
      freshness?: string;
      resources?: {
        resource: string;
        responseKind?: { kind?: string } | null;
        scope: string;
        verbs: string[];
      }[];
    }[];
  }[];
}

interface Document {
  path: '/api' | '/apis';
  etag: string | undefined;
  groups: GroupDiscoveryList['items'];
}

const accept = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

/** Reads aggregated discovery with conditional requests. */
export class ResourceDiscovery {
  readonly #api: Api;
  readonly #documents: readonly Document[] = [
    { path: '/api', etag: undefined, groups: [] },
    { path: '/apis', etag: undefined, groups: [] },
  ];
  #discovered: Discovered | undefined;

  constructor(api: Api) {
    this.#api = api;
  }

  /** Resolves to the served resources; to the same value as before if nothing changed. */
  async read(): Promise<Discovered> {
    const changes = await Promise.all(this.#documents.map((document) => this.#refresh(document)));
    if (this.#discovered === undefined || changes.includes(true)) {
      this.#discovered = discovered(this.#documents.flatMap(({ groups }) => groups));
    }
    return this.#discovered;
  }

  async #refresh(document: Document): Promise<boolean> {
    const response = await this.#api.conditional<GroupDiscoveryList>(document.path, accept, document.etag);
    if (response === 'unchanged') return false;
    document.etag = response.etag;
    document.groups = response.body.items;
    return true;
  }
}

function discovered(groups: GroupDiscoveryList['items']): Discovered {
  const resources: ApiResource[] = [];
  const preferred: ApiResource[] = [];
  const stale = new Set<string>();
  for (const { metadata, versions = [] } of groups) {
    const group = metadata?.name ?? '';
    const known = new Set<string>();
    // The preferred version comes first.
    for (const { version, freshness, resources: found = [] } of versions) {
      if (freshness === 'Stale') {
        stale.add(groupVersion({ group, version }));
        continue;
      }
      for (const { resource, responseKind, scope, verbs } of found) {
        const kind = responseKind?.kind ?? '';
        const row = {
          group,
          version,
          resource,
          kind,
          namespaced: scope === 'Namespaced',
          verbs: new Set(verbs),
        };
        resources.push(row);
        if (!known.has(resource)) preferred.push(row);
        known.add(resource);
      }
    }
  }
  return { resources, preferred, stale };
}

/** True if a resource supports all of these verbs. */
export const supports = ({ verbs }: ApiResource, ...wanted: string[]): boolean =>
  wanted.every((verb) => verbs.has(verb));

/** Returns the path of a collection, over all namespaces if there is no namespace, or of an object in it. */
export function resourcePath(
  { group, version, resource, namespaced }: ApiResource,
  namespace = '',
  name = '',
): string {
  const root = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
  const scope = namespaced && namespace !== '' ? `/namespaces/${namespace}` : '';
  return `${root}${scope}/${resource}${name === '' ? '' : `/${encodeURIComponent(name)}`}`;
}

/** Maps kinds to resources, as client-go's RESTMapper does. */
export class KindMapping {
  readonly #resources = new Map<string, ApiResource>();

  constructor({ resources }: Pick<Discovered, 'resources'>) {
    for (const resource of resources) {
      const key = `${resource.group}/${resource.version}/${resource.kind}`;
      if (!this.#resources.has(key)) this.#resources.set(key, resource);
    }
  }

  /** Finds the resource of a kind in that version only. */
  find(apiVersion: string, kind: string): ApiResource | undefined {
    const { group, version } = parseGroupVersion(apiVersion);
    return this.#resources.get(`${group}/${version}/${kind}`);
  }
}
