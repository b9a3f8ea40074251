import { createHash } from 'node:crypto';
import { groupVersion, noSuchResource, parseGroupVersion } from '@annex/machinery';
import type { KindRegistry, RequestContext, ResourceKind } from '@annex/kinds';
import { methodNotRouted } from './go-route.ts';
import { encodeAs, negotiate } from './encoding/negotiation.ts';
import { sendBody, sendNotServed } from './respond.ts';

/** Answers `/api/v1` and `/apis/GROUP/VERSION`: the APIResourceList of a version. */
export async function sendResourceList(request: RequestContext, kinds: KindRegistry): Promise<void> {
  const { group, version } = groupVersionOf(request.path);
  if (!kinds.hasVersion(group, version)) {
    if ([...kinds.ofGroup(group)].some(isRouted)) throw noSuchResource();
    return sendNotServed(request);
  }
  const served = [...kinds.ofGroup(group)].filter((kind) => kind.version === version);
  const routed = served.some(isRouted);
  // What follows an empty segment is no resource.
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
    // kube leaves it out of the first group of all.
    ...(group === '' ? {} : { apiVersion: 'v1' }),
    groupVersion: groupVersion({ group, version }),
    resources: served.flatMap(apiResources),
  };
  request.audit?.recordResponse(response);
  const { contentType, body } = await encodeAs(as.encoding, response);
  sendBody(request, 200, contentType, body);
}

const isRouted = ({ behavior: { router } }: ResourceKind): boolean => router === 'restful';

/** The group and version of `/api/VERSION` and `/apis/GROUP/VERSION`. */
function groupVersionOf(path: string): { group: string; version: string } {
  const [, prefix, first = '', second = ''] = path.split('/');
  return prefix === 'api' ? { group: '', version: first } : { group: first, version: second };
}

/** Changes when objects are stored in another version; opaque to clients. Computed as kube-apiserver does. */
function storageVersionHash(apiVersion: string, kind: string): string {
  const { group, version } = parseGroupVersion(apiVersion);
  return createHash('sha256')
    .update(`${group}/${version}/${kind}`)
    .digest()
    .subarray(0, 8)
    .toString('base64');
}

/** The entries of a kind: itself and its subresources. */
function apiResources(kind: ResourceKind): Record<string, unknown>[] {
  const own = {
    name: kind.resource,
    singularName: kind.singular,
    namespaced: kind.namespaced,
    kind: kind.kind,
    verbs: kind.listedVerbs ?? kind.verbs,
    ...(kind.shortNames.length > 0 ? { shortNames: kind.shortNames } : {}),
    ...(kind.categories.length > 0 ? { categories: kind.categories } : {}),
    ...(kind.storage ? { storageVersionHash: storageVersionHash(kind.storage.apiVersion, kind.kind) } : {}),
  };
  const subresources = Object.entries(kind.subresources).map(([name, spec]) => ({
    name: `${kind.resource}/${name}`,
    singularName: '',
    namespaced: kind.namespaced,
    // A subresource of another group-version than its parent says so.
    ...(spec.group !== kind.group || spec.version !== kind.version
      ? { group: spec.group, version: spec.version }
      : {}),
    kind: spec.kind,
    verbs: spec.verbs,
  }));
  return [own, ...subresources];
}
