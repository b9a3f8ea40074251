import type { PublishedAuthentication } from '@annex/process';
import {
  type AdmissionPlugin,
  type App,
  type Backend,
  type ServerDeps,
  composeSteps,
  createResourceApp,
} from '@annex/server';
import { ApiServices, Forwarder, type ForwarderOptions } from '@annex/aggregation';
import { builtinDocuments } from '@annex/openapi';
import {
  KindRegistry,
  type RequestContext,
  type ResourceKind,
  markStep,
  registryDiscovery,
} from '@annex/kinds';
import { apiRegistrationGroup, apiServiceKinds } from './api-service-kind.ts';
import { AutoRegistration, type ManagedSource } from './auto-registration.ts';
import { AvailabilityController, type AvailabilityIntervals } from './availability.ts';
import { authenticationKeeper } from './extension-authentication.ts';
import { forwardSteps } from './forward-path.ts';
import { type Backends, answerLocally, apiPaths, matchRemote } from './routes.ts';

/** What a front proxy is made of. */
export interface FrontProxyOptions extends ForwarderOptions {
  /** What writes of APIServices must pass. */
  admission?: readonly AdmissionPlugin[];
  intervals?: AvailabilityIntervals;
  /** What the ConfigMap `extension-apiserver-authentication` says; without it the ConfigMap is left alone. */
  extensionAuthentication?: PublishedAuthentication;
}

/**
 * The front of the system behind the request path: routes every request to the app or extension server that owns its
 * path, and owns `apiregistration.k8s.io`.
 */
export interface FrontProxy extends App {
  readonly apiServices: ApiServices;
  readonly forwarder: Forwarder;
  /** The paths of the API that `GET /` lists. */
  paths(): string[];
  /** Says who answers what; before `start`. */
  connect(backends: Backends, managed: readonly ManagedSource[]): void;
}

/** Makes a front proxy. Its discovery is that of `apiregistration.k8s.io`. */
export function createFrontProxy(deps: ServerDeps, options: FrontProxyOptions): FrontProxy {
  const { app: registry, kind } = createRegistry(deps, options.admission ?? []);
  const apiServices = new ApiServices(deps);
  const forwarder = new Forwarder(deps, options);
  const availability = new AvailabilityController(
    { ...deps, ...forwarder },
    apiServices,
    kind,
    options.intervals,
  );
  const authentication =
    options.extensionAuthentication && authenticationKeeper(deps, options.extensionAuthentication);
  let connection: { run: (ctx: RequestContext) => Promise<void>; registration: AutoRegistration } | undefined;
  const connected = () => {
    if (connection === undefined) throw new Error('the front proxy is not connected to any backend');
    return connection;
  };
  return {
    name: 'front-proxy',
    discovery: registry.discovery,
    apiServices,
    forwarder,
    connect(backends, managed) {
      const groups = new Map<string, Backend>([...backends.groups, [apiRegistrationGroup, registry]]);
      connection = {
        run: forwardThrough(forwarder, apiServices, availability, { ...backends, groups }),
        registration: new AutoRegistration(deps, apiServices, kind, managed),
      };
    },
    paths: () => apiPaths(apiServices),
    handle: (ctx) => connected().run(ctx),
    async start() {
      const { registration } = connected();
      await registry.start();
      await authentication?.start();
      await apiServices.start();
      await registration.start();
      await availability.start();
    },
    async stop() {
      authentication?.stop();
      availability.stop();
      await connection?.registration.stop();
      apiServices.stop();
      await registry.stop();
      forwarder.close();
    },
  };
}

/** The app that serves `apiregistration.k8s.io`, and the kind of APIServices. */
function createRegistry(
  deps: ServerDeps,
  admission: readonly AdmissionPlugin[],
): { app: App; kind: ResourceKind } {
  const kinds = new KindRegistry();
  for (const kind of apiServiceKinds(() => new Date(deps.clock.now()).toISOString().replace(/\.\d+/, ''))) {
    kinds.add(kind);
  }
  const kind = kinds.get(apiRegistrationGroup, 'v1', 'apiservices');
  if (kind === undefined) throw new Error('the recorded kinds have no apiservices');
  const documents = builtinDocuments(kinds, (group) => group === apiRegistrationGroup);
  const discovery = registryDiscovery(kinds, documents);
  return { app: createResourceApp({ name: apiRegistrationGroup, deps, kinds, discovery, admission }), kind };
}

function forwardThrough(
  forwarder: Forwarder,
  apiServices: ApiServices,
  availability: AvailabilityController,
  backends: Backends,
) {
  const forward = composeSteps(
    forwardSteps({
      match: (ctx) => matchRemote(apiServices, ctx),
      local: (ctx) => answerLocally(backends, ctx),
      unreachable: (apiService) => availability.checkNow(apiService.metadata.name ?? ''),
      ...forwarder,
    }),
    (step, ctx, at) => markStep(ctx.request.trace, step, at),
  );
  return (request: RequestContext) => forward({ request });
}
