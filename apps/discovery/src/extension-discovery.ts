import { isObject, type JsonObject, type JsonValue } from '@annex/machinery';
import {
  type GroupDiscovery,
  type ResourceDiscovery,
  type VersionDiscovery,
  aggregatorUser,
} from '@annex/server';
import { ask, objectIn } from './extension-request.ts';
import type { Followed } from './followed-servers.ts';
import { type FetchRemote, type Registration, groupOf, versionKey } from './sources.ts';

const timeoutMs = 5_000;
// Kube asks for documents of one version without its groups.
const legacyUser = { ...aggregatorUser, groups: [] };
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
 * registered. Resolves to what is known where nothing changed. Throws where the server does not answer.
 */
export async function fetchServed<R extends Registration>(
  fetch: FetchRemote<R>,
  registration: R,
  known: ServedVersions | undefined,
): Promise<ServedVersions> {
  const accept = aggregatedForms.join(',');
  const question = { path: '/apis', user: aggregatorUser, accept, etag: known?.etag, timeoutMs };
  const answer = await ask(fetch, registration, question);
  if (answer.status === 304 && known !== undefined) return known;
  if (answer.status === 503) throw new Error('the extension server answered 503');
  const isAggregated = answer.headers['content-type']?.includes('as=APIGroupDiscoveryList') ?? false;
  if (answer.status === 200 && isAggregated) {
    return { versions: readAggregated(objectIn(answer)), etag: answer.headers.etag };
  }
  return { versions: await fetchLegacy(fetch, registration) };
}

/** What is shown of a version. Of a server that does not answer nothing is known, as kube-apiserver has it. */
export function discoveryOf(
  registration: Registration,
  followed: Followed<Registration, ServedVersions> | undefined,
): VersionDiscovery {
  const { version } = registration.spec;
  if (followed?.failed ?? true) return { version, resources: [], freshness: 'Stale' };
  const known = followed?.known?.versions.get(versionKey(groupOf(registration), version));
  return { version, resources: known?.resources ?? [], freshness: 'Current' };
}

function readAggregated(document: JsonObject): ReadonlyMap<string, VersionDiscovery> {
  const found = new Map<string, VersionDiscovery>();
  for (const item of objectsOf(document.items) as unknown as GroupDiscovery[]) {
    for (const version of objectsOf(item.versions) as unknown as VersionDiscovery[]) {
      const resources = (objectsOf(version.resources) as unknown as ResourceDiscovery[]).filter(isNamed);
      const completed = resources.map((resource) => ({
        ...withKind(resource),
        ...(resource.subresources ? { subresources: resource.subresources.map(withKind) } : {}),
      }));
      found.set(versionKey(item.metadata?.name ?? '', version.version), {
        version: version.version,
        resources: completed,
      });
    }
  }
  return found;
}

const isNamed = ({ resource }: ResourceDiscovery): boolean => typeof resource === 'string';

/** Some clients cannot do without. */
const withKind = <T extends { responseKind?: ResourceDiscovery['responseKind'] }>(resource: T) => ({
  ...resource,
  responseKind: resource.responseKind ?? { group: '', version: '', kind: '' },
});

/** The objects of a list that may be missing. Throws where it is no list, or has something else in it. */
function objectsOf(value: JsonValue | object | undefined): object[] {
  const list = value ?? [];
  if (!Array.isArray(list) || !list.every(isObject)) throw new Error('it has no list where one is expected');
  return list;
}

async function fetchLegacy<R extends Registration>(fetch: FetchRemote<R>, registration: R) {
  const group = groupOf(registration);
  const { version } = registration.spec;
  const path = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
  const accept = 'application/json';
  const answer = await ask(fetch, registration, { path, user: legacyUser, accept, timeoutMs });
  if (answer.status !== 200)
    throw new Error(`failed to download legacy discovery for ${path}: ${answer.status}`);
  const resources = objectsOf(objectIn(answer).resources) as LegacyResource[];
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
    const slash = entry.name.indexOf('/');
    const [parent, subresource] = [entry.name.slice(0, slash), entry.name.slice(slash + 1)];
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
