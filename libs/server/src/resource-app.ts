import { noSuchResource } from '@annex/machinery';
import { AdmissionChain } from './admission/chain.ts';
import type { AdmissionPlugin } from './admission/plugin.ts';
import type { App, ServerDeps } from './app.ts';
import {
  type DiscoverySource,
  type KindRegistry,
  markStep,
  type RequestContext,
  type ResourceKind,
} from '@annex/kinds';
import type { ResourceServer, WatcherLimits } from './handlers/request-scope.ts';
import { loadCaches } from './load-caches.ts';
import { sendResourceList } from './resource-list.ts';
import { fitsScope, routeOf } from './resource-route.ts';
import { sendNotServed } from './respond.ts';
import { servedApis } from './served-apis.ts';
import { composeSteps } from './step.ts';
import { StoredObjects } from './stored-objects.ts';
import { SentFields } from './write/sent-fields.ts';
import { trackFields } from './write/track-fields.ts';
import { writeSteps } from './write-path.ts';

/** Options of {@link createResourceApp}. */
export interface ResourceAppOptions {
  name: string;
  deps: ServerDeps;
  kinds: KindRegistry;
  discovery: DiscoverySource;
  admission?: readonly AdmissionPlugin[];
  watchers?: Partial<WatcherLimits>;
  /**
   * Serves a path under a group-version of this app that names no kind of it. Default: kube-apiserver's 404.
   */
  fallback?: (request: RequestContext) => Promise<void> | void;
  start?: () => Promise<void>;
  stop?: () => Promise<void>;
}

/** Bytes of events that wait for a slow watch client; then the watch is closed. */
export const maxWatcherBytes = 16 * 1024 * 1024;

const defaultLimits: WatcherLimits = { maxBufferedBytes: maxWatcherBytes, bookmarkIntervalMs: 60_000 };

/** Creates an app that serves the kinds of a registry. */
export function createResourceApp(options: ResourceAppOptions): App {
  const { deps, kinds } = options;
  const isServed = deps.servedApis ?? servedApis();
  for (const kind of [...kinds.kinds()]) if (!isServed(kind)) kinds.remove(kind);
  const admission = new AdmissionChain(options.admission ?? [], kinds);
  const steps = writeSteps(deps, admission, kinds);
  const server: ResourceServer = {
    deps,
    admission,
    writeSteps: steps,
    write: composeSteps(steps, (step, write, at) => markStep(write.request.trace, step, at)),
    trackFields: composeSteps([trackFields(deps, kinds)]),
    sentFields: new SentFields(),
    watchers: { ...defaultLimits, ...options.watchers },
    running: deps.metrics.gauge('apiserver_longrunning_requests', 'Open watches.', [
      'verb',
      'group',
      'version',
      'resource',
    ]),
  };
  const { shared, inOneProcess } = deps.store.capabilities;
  const stopping = new AbortController();
  const stored = new WeakMap<ResourceKind, StoredObjects>();
  const objectsOf = (kind: ResourceKind): StoredObjects => {
    let objects = stored.get(kind);
    if (objects === undefined) stored.set(kind, (objects = new StoredObjects(deps, kind)));
    return objects;
  };
  return {
    name: options.name,
    discovery: options.discovery,
    handle: function handle(request): Promise<void> | void {
      const { info } = request;
      if (info.resource === '') return sendResourceList(request, kinds);
      const kind = kinds.get(info.apiGroup, info.apiVersion, info.resource);
      if (kind === undefined || !fitsScope(kind, info)) {
        return (options.fallback ?? notServed(kinds))(request);
      }
      if (kind.preparing !== undefined) return kind.preparing.then(() => handle(request));
      request.kind = kind;
      const { handler, subresource } = routeOf(kind, request);
      const objects = kind.storage ? objectsOf(kind) : (undefined as never);
      return handler({ request, kind, objects, server, subresource });
    },
    start: async () => {
      await options.start?.();
      if (shared && !inOneProcess) void loadCaches(deps, kinds.kinds(), stopping.signal);
    },
    stop: async () => {
      stopping.abort();
      await options.stop?.();
    },
  };
}

const notServed = (kinds: KindRegistry) => (request: RequestContext) => {
  // In a served built-in group, the 404 is a Status; in a group that is not served, it is text.
  if (kinds.hasGroup(request.info.apiGroup)) throw noSuchResource();
  sendNotServed(request);
};
