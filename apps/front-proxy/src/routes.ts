import type { ApiServices, RemoteApiService } from '@annex/aggregation';
import { type Backend, sendNotServed } from '@annex/server';
import type { RequestContext } from '@annex/kinds';

/** Who answers what is not proxied to an extension server. */
export interface Backends {
  /** The built-in groups by name, `''` for the core group. */
  groups: ReadonlyMap<string, Backend>;
  /** Custom resources: every other group. */
  custom: Backend;
  /** `/api`, `/apis`, `/apis/<group>`, `/openapi`. */
  discovery: Backend;
}

/** What a path says about routing. */
export type Route =
  { to: 'version'; group: string; version: string } | { to: 'discovery' } | { to: 'nowhere' };

const discovery: Route = { to: 'discovery' };
const nowhere: Route = { to: 'nowhere' };

/** Reads where a path leads: to a version of a group, to the documents about all groups, or nowhere. */
export function routeOf(ctx: Pick<RequestContext, 'info' | 'path'>): Route {
  const { info } = ctx;
  if (ctx.path.startsWith('//') || ctx.path.startsWith('/apis//')) return nowhere;
  if (info.isResourceRequest) return { to: 'version', group: info.apiGroup, version: info.apiVersion };
  const [, prefix = '', first = '', second = ''] = ctx.path.split('/', 4);
  if (prefix === 'openapi') return discovery;
  if (prefix === 'api') return first === '' ? discovery : { to: 'version', group: '', version: first };
  if (prefix !== 'apis') return nowhere;
  return second === '' ? discovery : { to: 'version', group: first, version: second };
}

const documents = ['/api', '/apis', '/apis/', '/openapi/v2', '/openapi/v3', '/openapi/v3/'];
const unregistered = ['/apis/apiregistration.k8s.io', '/apis/apiregistration.k8s.io/v1'];

/** The paths of all documents: of groups and versions by their APIServices. */
export function apiPaths(apiServices: ApiServices): string[] {
  const versions = [...apiServices.all()].flatMap(({ spec: { group = '', version } }) =>
    group === '' ? [`/api/${version}`] : [`/apis/${group}`, `/apis/${group}/${version}`],
  );
  return [...documents, ...unregistered, ...versions];
}

/** The extension server of a path, if it has one: two look-ups in maps, none while there are no extension servers. */
export function matchRemote(apiServices: ApiServices, ctx: RequestContext): RemoteApiService | undefined {
  if (apiServices.allLocal) return undefined;
  const route = routeOf(ctx);
  return route.to === 'version' ? apiServices.remote(route.group, route.version) : undefined;
}

/** Sends a request to the backend that owns its path. */
export function answerLocally(backends: Backends, ctx: RequestContext): Promise<void> | void {
  const route = routeOf(ctx);
  if (route.to === 'discovery') return backends.discovery.handle(ctx);
  if (route.to === 'nowhere') return sendNotServed(ctx);
  return (backends.groups.get(route.group) ?? backends.custom).handle(ctx);
}
