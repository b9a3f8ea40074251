import { type App, OpenApiHandlers, type ServerDeps, sendNotServed } from '@annex/server';
import type { DiscoverySource, RequestContext } from '@annex/kinds';
import type { LocalPlace } from './aggregated-documents.ts';
import { DiscoveryHandlers } from './discovery-handlers.ts';
import { OpenApiOfExtensions } from './extension-documents.ts';
import { fetchServed, type ServedVersions } from './extension-discovery.ts';
import { FollowedServers, type RefreshIntervals } from './followed-servers.ts';
import { serverDocuments } from './server-documents.ts';
import type { FetchRemote, Registration, Registrations } from './sources.ts';

/** The sources of the discovery documents. */
export interface DiscoveryOptions<R extends Registration> {
  /** Discovery of the apps of Annex, in this process or in others. */
  sources: readonly DiscoverySource[];
  /** Every APIService. */
  registrations: Registrations<R>;
  /** Sends a request to the extension server of an APIService. */
  fetchRemote: FetchRemote<R>;
  /** Priorities of versions of Annex that have no APIService yet. */
  place: LocalPlace;
  /** Returns the `host:port` that clients use to reach Annex, for `/api`. */
  serverAddress(): string;
  intervals?: RefreshIntervals;
}

/**
 * The discovery app: `/api`, `/apis` and `/apis/<group>` in plain and aggregated form, and the OpenAPI documents, merged over the apps of
 * Annex and all extension servers. A failing extension server is shown as stale; clients do not wait for it.
 */
export function createDiscovery<R extends Registration>(
  deps: Pick<ServerDeps, 'clock' | 'log'>,
  options: DiscoveryOptions<R>,
): App {
  const { sources, registrations, fetchRemote, place } = options;
  const now = () => deps.clock.now();
  const { intervals } = options;
  const extensions = new FollowedServers({
    subject: 'versions',
    registrations,
    log: deps.log,
    intervals,
    ask: (registration, known: ServedVersions | undefined) => fetchServed(fetchRemote, registration, known),
  });
  const published = new OpenApiOfExtensions({ fetch: fetchRemote, registrations, log: deps.log }, intervals);
  const serverAddress = () => options.serverAddress();
  const handlers = new DiscoveryHandlers({ sources, registrations, extensions, place, serverAddress });
  const openApi = new OpenApiHandlers([...sources, serverDocuments(sources)], now, published);
  let end: (() => void) | undefined;
  return {
    name: 'discovery',
    discovery: nothing,
    handle: (request) => response(request, handlers, openApi),
    async start() {
      end = handlers.start();
      extensions.start();
      published.start();
    },
    async stop() {
      end?.();
      extensions.stop();
      published.stop();
    },
  };
}

/** The app serves documents, but no kinds. */
const nothing: DiscoverySource = {
  groups: () => [],
  openapiPaths: () => [],
  openapi: () => undefined,
  onChange: () => () => undefined,
};

async function response<R extends Registration>(
  request: RequestContext,
  handlers: DiscoveryHandlers<R>,
  openApi: OpenApiHandlers,
): Promise<void> {
  const [, root, first = '', ...rest] = request.path.split('/');
  const deep = rest.some((segment) => segment !== '');
  if (root === 'api' && first === '' && !deep) return handlers.versions(request);
  if (request.path === '/apis' || request.path === '/apis/') return handlers.groups(request);
  if (root === 'apis' && first !== '' && !deep)
    return handlers.group(request, first, { slashes: rest.length });
  if (request.path === '/openapi/v2') return openApi.v2(request);
  if (request.path === '/openapi/v3') return openApi.v3.index(request);
  if (root === 'openapi' && first === 'v3') return openApi.v3.document(request, rest.join('/'));
  sendNotServed(request);
}
