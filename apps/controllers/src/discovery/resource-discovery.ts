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

/** What discovery said. */
export interface Discovered {
  /** In every version that is served. */
  resources: readonly ApiResource[];
  /** In the version that the server prefers, or in the first one that has it. */
  preferred: readonly ApiResource[];
  /** `group/version` of what could not be discovered, because its server does not answer. */
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

/** Reads aggregated discovery, and again only what has changed since. */
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

  /** What is served now; the same value as before where nothing has changed. */
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
    // The version that the server prefers comes first.
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

/** Whether a resource has all of these verbs. */
export const supports = ({ verbs }: ApiResource, ...wanted: string[]): boolean =>
  wanted.every((verb) => verbs.has(verb));

/** The path of a collection, over all namespaces where none is given, or of an object in it. */
export function resourcePath(
  { group, version, resource, namespaced }: ApiResource,
  namespace = '',
  name = '',
): string {
  const root = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
  const scope = namespaced && namespace !== '' ? `/namespaces/${namespace}` : '';
  return `${root}${scope}/${resource}${name === '' ? '' : `/${encodeURIComponent(name)}`}`;
}

/** Finds the resource of a kind, as client-go's RESTMapper does. */
export class KindMapping {
  readonly #resources = new Map<string, ApiResource>();

  constructor({ resources }: Pick<Discovered, 'resources'>) {
    for (const resource of resources) {
      const key = `${resource.group}/${resource.version}/${resource.kind}`;
      if (!this.#resources.has(key)) this.#resources.set(key, resource);
    }
  }

  /** Only in the version asked for. */
  find(apiVersion: string, kind: string): ApiResource | undefined {
    const { group, version } = parseGroupVersion(apiVersion);
    return this.#resources.get(`${group}/${version}/${kind}`);
  }
}
