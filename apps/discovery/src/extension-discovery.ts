import type { VersionDiscovery } from '@annex/kinds';
import { aggregatorUser } from '@annex/aggregation';
import { ask, objectIn } from './extension-request.ts';
import type { Followed } from './followed-servers.ts';
import { readAggregated, readLegacy } from './read-discovery.ts';
import { type FetchRemote, type Registration, groupOf, versionKey } from './sources.ts';

/** Milliseconds in which an extension server has to send its discovery document. Source: kube-aggregator. */
export const discoveryDocumentTimeoutMs = 5_000;

/** Resources of one version: discovery shows all of them to every client. kube-apiserver has no limit, and 100 in its largest version. */
export const maxServedResources = 5000;

/** Bytes of an `ETag` that is remembered and sent again. */
export const maxEtagLength = 1024;
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
  const question = {
    path: '/apis',
    user: aggregatorUser,
    accept,
    etag: known?.etag,
    timeoutMs: discoveryDocumentTimeoutMs,
  };
  const response = await ask(fetch, registration, question);
  if (response.status === 304 && known !== undefined) return known;
  if (response.status === 503) throw new Error('the extension server answered 503');
  const isAggregated = response.headers['content-type']?.includes('as=APIGroupDiscoveryList') ?? false;
  if (response.status === 200 && isAggregated) {
    const { etag = '' } = response.headers;
    return {
      versions: registeredVersion(readAggregated(objectIn(response)), registration),
      ...(etag === '' || etag.length > maxEtagLength ? {} : { etag }),
    };
  }
  return { versions: await fetchLegacy(fetch, registration) };
}

/** Of all that a server claims to serve, what is registered. Throws where it has too many resources. */
function registeredVersion(
  versions: ReadonlyMap<string, VersionDiscovery>,
  registration: Registration,
): ReadonlyMap<string, VersionDiscovery> {
  const key = versionKey(groupOf(registration), registration.spec.version);
  const version = versions.get(key);
  if (version === undefined) return new Map();
  if (version.resources.length > maxServedResources) {
    throw new Error(`${key} has more than ${maxServedResources} resources`);
  }
  return new Map([[key, version]]);
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

async function fetchLegacy<R extends Registration>(fetch: FetchRemote<R>, registration: R) {
  const group = groupOf(registration);
  const { version } = registration.spec;
  const path = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
  const accept = 'application/json';
  const response = await ask(fetch, registration, {
    path,
    user: legacyUser,
    accept,
    timeoutMs: discoveryDocumentTimeoutMs,
  });
  if (response.status !== 200)
    throw new Error(`failed to download legacy discovery for ${path}: ${response.status}`);
  const served = { version, resources: readLegacy(objectIn(response)) };
  return registeredVersion(new Map([[versionKey(group, version), served]]), registration);
}
