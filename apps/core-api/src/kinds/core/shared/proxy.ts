import type { RequestContext, Subresource } from '@annex/kinds';
import { badRequest, type JsonObject, type KubeObject, notFound } from '@annex/machinery';
import type { ServerDeps } from '@annex/server';
import { childOf } from '../../shared/checks.ts';
import { proxyOptions } from './connect-options.ts';

/** Throws the error of a connection before it is dialed. */
export type TargetCheck = (
  deps: ServerDeps,
  parent: KubeObject,
  request: RequestContext,
) => void | Promise<void>;

/** Returns the status of an object, or an empty object. */
export const statusOf = (object: KubeObject): JsonObject => childOf(object, 'status');

/** Reads an object of another kind. Throws NotFound for the requested resource, as kube-apiserver does. */
export async function readObject(
  { feed }: ServerDeps,
  prefix: string,
  key: string,
  name: string,
  { info }: RequestContext,
): Promise<KubeObject> {
  const cache = feed.objects(prefix);
  await cache.waitFor();
  const found = cache.get(`${prefix}${key}`)?.value.object;
  if (found === undefined) throw notFound({ group: '', resource: info.resource }, name);
  return found;
}

/** A subresource that connects to a target behind its parent. */
export type ConnectSubresource = Pick<Subresource, 'connect'>;

/** Throws the error of subresources that need a node. Discovery lists them as in any cluster. */
export function refuseWithoutNodes(subresource: string): never {
  throw badRequest(`this server runs no nodes: ${subresource} cannot be served`);
}

/** `proxy` of a Pod, a Service or a Node; the name may have the form `[scheme:]name:port`. */
export const proxied = (deps: ServerDeps, kind: string, check: TargetCheck): ConnectSubresource => ({
  connect: {
    target(text) {
      const parts = text.split(':');
      const name = parts.length < 3 ? parts[0] : parts[1];
      const scheme = parts.length < 3 ? '' : (parts[0] ?? '');
      const isValid = parts.length <= 3 && ['', 'http', 'https'].includes(scheme);
      if (!isValid || !name) throw badRequest(`invalid ${kind} request ${JSON.stringify(text)}`);
      return name;
    },
    options: proxyOptions,
    async respond(parent, request) {
      await check(deps, parent, request);
      refuseWithoutNodes(`${kind}s/proxy`);
    },
  },
});
