import { createHash } from 'node:crypto';
import { groupVersion, noSuchResource, parseGroupVersion } from '@annex/machinery';
import type { KindRegistry, RequestContext, ResourceKind } from '@annex/kinds';
import { methodNotRouted } from './go-route.ts';
import { encodeAs, negotiate } from './encoding/negotiation.ts';
import { sendBody, sendNotServed } from './respond.ts';

/** Serves `/api/v1` and `/apis/GROUP/VERSION`: the APIResourceList of a version. */
export async function sendResourceList(request: RequestContext, kinds: KindRegistry): Promise<void> {
  const { group, version } = groupVersionOf(request.path);
  if (!kinds.hasVersion(group, version)) {
    if ([...kinds.ofGroup(group)].some(isRouted)) throw noSuchResource();
    return sendNotServed(request);
  }
  const served = [...kinds.ofGroup(group)].filter((kind) => kind.version === version);
  const routed = served.some(isRouted);
  // Segments behind an empty segment are not a resource.
  if (request.info.isResourceRequest) {
    if (routed) throw noSuchResource();
    return sendNotServed(request);
  }
  if (routed && request.req.method !== 'GET') throw methodNotRouted();
  const as = negotiate(request.req.headers.accept, {
    routed,
    protobuf: true,
    plain: true,
  });
  const response = {
    kind: 'APIResourceList',
    // kube-apiserver omits it for the core group.
    ...(group === '' ? {} : { apiVersion: 'v1' }),
    groupVersion: groupVersion({ group, version }),
    resources: served.flatMap(apiResources),
  };
  request.audit?.recordResponse(response);
  const { contentType, body } = await encodeAs(as.encoding, response);
  sendBody(request, 200, contentType, body);
}

const isRouted = ({ behavior: { router } }: ResourceKind): boolean => router === 'restful';

/** Returns the group and version of `/api/VERSION` and `/apis/GROUP/VERSION`. */
function groupVersionOf(path: string): { group: string; version: string } {
  const [, prefix, first = '', second = ''] = path.split('/');
  return prefix === 'api' ? { group: '', version: first } : { group: first, version: second };
}

/**
 * Returns kube-apiserver's storageVersionHash: it changes with the storage version and is opaque to clients.
 */
function storageVersionHash(apiVersion: string, kind: string): string {
  const { group, version } = parseGroupVersion(apiVersion);
  return createHash('sha256')
    .update(`${group}/${version}/${kind}`)
    .digest()
    .subarray(0, 8)
    .toString('base64');
}

/** Kinds that only list what others know, such as component statuses, have no hash. */
const hashOf = ({ kind, storage, verbs }: ResourceKind): { storageVersionHash?: string } =>
  storage === undefined || storage.unhashed || !verbs.includes('create')
    ? {}
    : { storageVersionHash: storageVersionHash(storage.apiVersion, kind) };

/** Returns the entries of a kind and its subresources. */
function apiResources(kind: ResourceKind): Record<string, unknown>[] {
  const own = {
    name: kind.resource,
    singularName: kind.singular,
    namespaced: kind.namespaced,
    kind: kind.kind,
    verbs: kind.listedVerbs ?? kind.verbs,
    ...(kind.shortNames.length > 0 ? { shortNames: kind.shortNames } : {}),
    ...(kind.categories.length > 0 ? { categories: kind.categories } : {}),
    ...hashOf(kind),
  };
  const subresources = Object.entries(kind.subresources).map(([name, spec]) => ({
    name: `${kind.resource}/${name}`,
    singularName: '',
    namespaced: kind.namespaced,
    // A subresource names its group and version if they differ from those of its parent.
    ...(spec.group !== kind.group || spec.version !== kind.version
      ? { group: spec.group, version: spec.version }
      : {}),
    kind: spec.kind,
    verbs: spec.verbs,
  }));
  return [own, ...subresources];
}
