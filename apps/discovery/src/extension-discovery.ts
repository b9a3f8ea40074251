import type { VersionDiscovery } from '@annex/kinds';
import { aggregatorUser } from '@annex/aggregation';
import { ask, inSlices, objectIn } from './extension-request.ts';
import type { Followed } from './followed-servers.ts';
import { readAggregated, readLegacy } from './read-discovery.ts';
import { type FetchRemote, type Registration, groupOf, versionKey } from './sources.ts';

/** Milliseconds that an extension server has to send its discovery document. Source: kube-aggregator. */
export const discoveryDocumentTimeoutMs = 5_000;

/**
 * Maximum number of resources of one version: discovery lists all of them to every client. kube-apiserver has no limit, and 100 resources
 * in its largest version.
 */
export const maxServedResources = 5000;

/** Maximum length of an `ETag` that is stored and sent again. */
export const maxEtagLength = 1024;
// kube requests documents of one version without groups.
const legacyUser = { ...aggregatorUser, groups: [] };
const aggregatedForms = ['v2', 'v2beta1'].map(
  (version) => `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`,
);

/** The versions in the discovery of an extension server. */
export interface ServedVersions {
  /** By `group/version`. */
  versions: ReadonlyMap<string, VersionDiscovery>;
  etag?: string | undefined;
}

/**
 * Fetches the discovery of an extension server: all versions in the aggregated form, or else the registered version in the plain form.
 * Resolves to the known result if nothing changed. Throws if the server does not respond.
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
  if (response.status === 503) throw new Error('the extension server returned 503');
  const isAggregated = response.headers['content-type']?.includes('as=APIGroupDiscoveryList') ?? false;
  if (response.status === 200 && isAggregated) {
    const { etag = '' } = response.headers;
    return {
      versions: registeredVersion(await inSlices(readAggregated(await objectIn(response))), registration),
      ...(etag === '' || etag.length > maxEtagLength ? {} : { etag }),
    };
  }
  return { versions: await fetchLegacy(fetch, registration) };
}

/** Selects the registered version from all that a server lists. Throws if it has too many resources. */
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

/** Returns the discovery of a version. As in kube-apiserver, a server that does not respond has no resources. */
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
  const served = { version, resources: await inSlices(readLegacy(await objectIn(response))) };
  return registeredVersion(new Map([[versionKey(group, version), served]]), registration);
}
