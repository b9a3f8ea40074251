import { type JsonObject, isObject, parseJson } from '@annex/machinery';
import {
  type GroupDiscovery,
  type ResourceDiscovery,
  type VersionDiscovery,
  aggregatorUser,
} from '@annex/server';
import { type FetchRemote, type Registration, type RemoteAnswer, groupOf, versionKey } from './sources.ts';

/** As whom it asks for OpenAPI documents, which every authenticated user may read. */
export const openApiUser = { name: 'system:aggregator', groups: [], extra: {} };

const limits = { timeoutMs: 5_000, maxBytes: 16 * 1024 * 1024 };
const aggregatedForms = ['v2', 'v2beta1'].map(
  (version) => `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`,
);

/** What an extension server says it serves. */
export interface ServedVersions {
  /** By `group/version`. */
  versions: ReadonlyMap<string, VersionDiscovery>;
  etag?: string | undefined;
}

/**
 * Asks an extension server what it serves: all versions at once where it knows the aggregated form, else the one that is
 * registered. Resolves to `undefined` where nothing changed since the etag. Throws where the server does not answer.
 */
export async function fetchServed<R extends Registration>(
  fetch: FetchRemote<R>,
  registration: R,
  etag: string | undefined,
): Promise<ServedVersions | undefined> {
  const answer = await fetch(registration, {
    path: '/apis',
    user: aggregatorUser,
    headers: { accept: aggregatedForms.join(','), ...(etag === undefined ? {} : { 'if-none-match': etag }) },
    ...limits,
  });
  if (answer.status === 304) return undefined;
  if (answer.status === 503) throw new Error('the extension server answered 503');
  const isAggregated = answer.headers['content-type']?.includes('as=APIGroupDiscoveryList') ?? false;
  if (answer.status === 200 && isAggregated) {
    return { versions: readAggregated(decode(answer)), etag: answer.headers.etag };
  }
  return { versions: await fetchLegacy(fetch, registration) };
}

function decode(answer: RemoteAnswer): JsonObject {
  const value = parseJson(answer.body.toString());
  if (!isObject(value)) throw new Error('the extension server did not answer with an object');
  return value;
}

function readAggregated(document: JsonObject): ReadonlyMap<string, VersionDiscovery> {
  const found = new Map<string, VersionDiscovery>();
  for (const item of listOf(document.items) as unknown as GroupDiscovery[]) {
    for (const version of listOf(item.versions) as unknown as VersionDiscovery[]) {
      const { version: name, resources = [] } = version;
      const completed = resources.filter(isNamed).map((resource) => ({
        ...resource,
        responseKind: resource.responseKind ?? noKind,
        ...(resource.subresources
          ? {
              subresources: resource.subresources.map((sub) => ({
                ...sub,
                responseKind: sub.responseKind ?? noKind,
              })),
            }
          : {}),
      }));
      found.set(versionKey(item.metadata?.name ?? '', name), { version: name, resources: completed });
    }
  }
  return found;
}

const isNamed = ({ resource }: ResourceDiscovery): boolean => typeof resource === 'string';

// Some clients cannot do without.
const noKind = { group: '', version: '', kind: '' };

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

async function fetchLegacy<R extends Registration>(fetch: FetchRemote<R>, registration: R) {
  const group = groupOf(registration);
  const { version } = registration.spec;
  const path = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
  const answer = await fetch(registration, {
    path,
    user: aggregatorUser,
    headers: { accept: 'application/json' },
    ...limits,
  });
  if (answer.status !== 200)
    throw new Error(`failed to download legacy discovery for ${path}: ${answer.status}`);
  const resources = listOf(decode(answer).resources) as LegacyResource[];
  return new Map([[versionKey(group, version), { version, resources: fromLegacy(resources) }]]);
}

/** `resources[]` of an APIResourceList. */
interface LegacyResource {
  name: string;
  singularName?: string;
  namespaced?: boolean;
  group?: string;
  version?: string;
  kind: string;
  verbs: string[];
  shortNames?: string[];
  categories?: string[];
}

/** Turns an APIResourceList into its aggregated form. */
export function fromLegacy(list: readonly LegacyResource[]): ResourceDiscovery[] {
  const found = new Map<string, ResourceDiscovery>();
  for (const entry of list.filter(({ name }) => !name.includes('/')))
    found.set(entry.name, fromLegacyResource(entry));
  for (const entry of list.filter(({ name }) => name.includes('/'))) {
    const [parent = '', subresource = ''] = entry.name.split('/', 2);
    const resource = found.get(parent) ?? fromLegacyResource({ ...entry, name: parent, kind: '', verbs: [] });
    found.set(parent, resource);
    const { group = '', version = '', kind, verbs } = entry;
    (resource.subresources ??= []).push({ subresource, responseKind: { group, version, kind }, verbs });
  }
  return [...found.values()];
}

function fromLegacyResource(entry: LegacyResource): ResourceDiscovery {
  const { group = '', version = '', kind, shortNames, categories } = entry;
  return {
    resource: entry.name,
    responseKind: { group, version, kind },
    scope: entry.namespaced ? 'Namespaced' : 'Cluster',
    singularResource: entry.singularName ?? '',
    verbs: entry.verbs,
    ...(shortNames?.length ? { shortNames } : {}),
    ...(categories?.length ? { categories } : {}),
  };
}
