import { unavailableFor } from '@annex/machinery';
import type { DiscoverySource, RequestContext } from '@annex/kinds';
import { apiVersionOf, isApiDocument } from './api-path.ts';
import { discoveryHandler } from './discovery/internal-discovery.ts';
import {
  type AboutServer,
  documentHandler,
  indexHandler,
  metricsHandler,
  versionHandler,
} from './non-resource/about-server.ts';
import { type FlowControlPathsOptions, flowControlHandler } from './non-resource/flow-control.ts';
import { healthHandler } from './non-resource/health.ts';
import { sendNotServed } from './respond.ts';
import type { Handler, Route } from './route.ts';
import { type TracePathsOptions, traceHandler } from './trace/trace-paths.ts';

/** The handlers of the rows of the route table. A row without a handler matches no request. */
export interface RouteTargets {
  /** Returns whether every path is refused because the server is starting. */
  isStarting?(): boolean;
  traces: TracePathsOptions;
  /** The flow control of the server, if it has one. */
  flowControl?: FlowControlPathsOptions | undefined;
  about: AboutServer;
  /** Returns whether the paths of the API are refused because the app is starting. */
  isApiStarting?(): boolean;
  /**
   * The resources that the app of a separate process serves, for the front proxy and the discovery process.
   */
  discovery?: DiscoverySource;
  /** The whole API, by group. */
  api?: ApiTargets;
  /** Every other path. Default: 404. */
  app?: Handler;
}

/** The handlers of the groups of the API. */
export interface ApiTargets {
  /**
   * Returns the handler that forwards to the extension API server of a group-version; `undefined` if there is
   * none.
   */
  extensionServer(group: string, version: string): Handler | undefined;
  /** The documents about all groups. */
  documents: Handler;
  /** The built-in groups by name, `''` for the core group. */
  builtin: ReadonlyMap<string, Handler>;
  /** Every other group. */
  custom: Handler;
}

/** A row without its handlers. */
interface Row extends Omit<Route, 'handlerOf'> {
  handlerOf(request: RequestContext, targets: RouteTargets): Handler | undefined;
}

/** The rows in order: the first row that matches a request handles it. */
const rows: readonly Row[] = [
  {
    name: 'serverStarting',
    paths: 'every path, until `annex up` has started',
    requests: 'all',
    handlerOf: (_request, targets) => (targets.isStarting?.() ? refuseAtStart : undefined),
  },
  {
    name: 'traces',
    paths: '`/annex/traces`, `/annex/traces/<audit-id>`',
    requests: 'nonResource',
    handlerOf: (request, { traces }) => traceHandler(request, traces),
  },
  {
    name: 'flowControl',
    paths: '`/debug/api_priority_and_fairness/<dump>`',
    requests: 'nonResource',
    handlerOf: (request, { flowControl }) => flowControl && flowControlHandler(request, flowControl),
  },
  {
    name: 'metrics',
    paths: '`/metrics`',
    requests: 'nonResource',
    handlerOf: (request, { about }) => metricsHandler(request, about),
  },
  {
    name: 'index',
    paths: '`/`, `/index.html`',
    requests: 'nonResource',
    handlerOf: (request, { about }) => indexHandler(request, about),
  },
  {
    name: 'version',
    paths: '`/version`',
    requests: 'nonResource',
    handlerOf: (request, { about }) => versionHandler(request, about),
  },
  {
    name: 'openIdDocuments',
    paths: '`/.well-known/openid-configuration`, `/openid/v1/jwks`',
    requests: 'nonResource',
    handlerOf: (request, { about }) => documentHandler(request, about),
  },
  {
    name: 'health',
    paths: '`/healthz`, `/livez`, `/readyz`, each alone or with `/<check>`',
    requests: 'nonResource',
    handlerOf: (request, { about }) => healthHandler(request, about.checks),
  },
  {
    name: 'apiStarting',
    paths: 'every other path, until the app of a separate process has started',
    requests: 'all',
    handlerOf: (_request, targets) => (targets.isApiStarting?.() ? refuseAtStart : undefined),
  },
  {
    name: 'internalDiscovery',
    paths: '`/internal/discovery`, `/internal/openapi` of a separate process',
    requests: 'nonResource',
    handlerOf: (request, { discovery }) => discovery && discoveryHandler(request, discovery),
  },
  {
    name: 'emptySegments',
    paths: '`//…`, `/apis//…`',
    requests: 'all',
    handlerOf: ({ path }, { api }) =>
      api && (path.startsWith('//') || path.startsWith('/apis//')) ? sendNotServed : undefined,
  },
  {
    name: 'extensionServers',
    paths: '`/apis/<group>/<version>…` of an APIService with a service',
    requests: 'all',
    handlerOf(request, { api }) {
      const named = api && apiVersionOf(request);
      return named && api.extensionServer(named.apiGroup, named.apiVersion);
    },
  },
  {
    name: 'apiDocuments',
    paths: '`/api`, `/apis`, `/apis/<group>`, `/openapi/…`',
    requests: 'nonResource',
    handlerOf: (request, { api }) => (api && isApiDocument(request.path) ? api.documents : undefined),
  },
  {
    name: 'builtinGroups',
    paths: '`/api/v1…`, `/apis/<group>/<version>…` of a built-in group',
    requests: 'all',
    handlerOf(request, { api }) {
      const named = api && apiVersionOf(request);
      return named && api.builtin.get(named.apiGroup);
    },
  },
  {
    name: 'customResources',
    paths: '`/apis/<group>/<version>…` of any other group',
    requests: 'all',
    handlerOf: (request, { api }) => (api && apiVersionOf(request) ? api.custom : undefined),
  },
];

/** Returns the route table of a process. */
export const routeTable = (targets: RouteTargets): Route[] => [
  ...rows.map((row) => ({
    ...row,
    handlerOf: (request: RequestContext) => row.handlerOf(request, targets),
  })),
  everythingElse(targets.app ?? sendNotServed),
];

/** The last row. A server with a single handler has only this row. */
export const everythingElse = (handler: Handler): Route => ({
  name: 'everythingElse',
  paths: 'every other path',
  requests: 'all',
  handlerOf: () => handler,
});

/** Watches of client-go are opened again then; without `Retry-After`, informers list everything again. */
const refuseAtStart: Handler = () => {
  throw unavailableFor('the server is starting', 1);
};
