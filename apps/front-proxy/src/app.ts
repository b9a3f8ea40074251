import type { PublishedAuthentication } from '@annex/process';
import {
  type AdmissionPlugin,
  type ApiTargets,
  type App,
  type ServerDeps,
  composeSteps,
  createResourceApp,
} from '@annex/server';
import { ApiServices, Forwarder, type ForwarderOptions } from '@annex/aggregation';
import { KindRegistry, type ResourceKind, markStep, registryDiscovery } from '@annex/kinds';
import { builtinDocuments } from '@annex/openapi';
import { apiPaths } from './api-paths.ts';
import { apiRegistrationGroup, apiServiceKinds } from './kinds/apiregistration/apiservices/kind.ts';
import { AutoRegistration, type ManagedSource } from './auto-registration.ts';
import { AvailabilityController, type AvailabilityIntervals } from './availability.ts';
import { authenticationKeeper } from './extension-authentication.ts';
import { forwardSteps } from './forward-path.ts';

/** Options of a front proxy. */
export interface FrontProxyOptions extends ForwarderOptions {
  /** The admission plugins for writes of APIServices. */
  admission?: readonly AdmissionPlugin[];
  /** The groups whose local APIServices the front proxy maintains. */
  managed: readonly ManagedSource[];
  intervals?: AvailabilityIntervals;
  /** The content of the ConfigMap `extension-apiserver-authentication`; without it the ConfigMap is not written. */
  extensionAuthentication?: PublishedAuthentication;
}

/** The app that serves `apiregistration.k8s.io` and forwards requests to the registered extension API servers. */
export interface FrontProxy extends App {
  readonly apiServices: ApiServices;
  readonly forwarder: Forwarder;
  /** Returns the API paths that `GET /` lists. */
  paths(): string[];
  /** See {@link ApiTargets}. Costs two map look-ups, and none without extension API servers. */
  extensionServer: ApiTargets['extensionServer'];
}

/** Creates a front proxy. Its discovery document is that of `apiregistration.k8s.io`. */
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
  const registration = new AutoRegistration(deps, apiServices, kind, options.managed);
  const authentication =
    options.extensionAuthentication && authenticationKeeper(deps, options.extensionAuthentication);
  return {
    name: 'front-proxy',
    discovery: registry.discovery,
    apiServices,
    forwarder,
    paths: () => apiPaths(apiServices),
    extensionServer: extensionServers(forwarder, apiServices, availability),
    handle: registry.handle,
    async start() {
      const published = authentication?.start();
      published?.catch(() => {});
      await registry.start();
      await apiServices.start();
      await registration.start();
      await availability.start();
      await published;
    },
    async stop() {
      authentication?.stop();
      availability.stop();
      await registration.stop();
      apiServices.stop();
      await registry.stop();
      forwarder.close();
    },
  };
}

/** Returns the app that serves `apiregistration.k8s.io`, and the kind of APIServices. */
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

function extensionServers(
  forwarder: Forwarder,
  apiServices: ApiServices,
  availability: AvailabilityController,
): ApiTargets['extensionServer'] {
  const forward = composeSteps(
    forwardSteps({
      unreachable: (apiService) => availability.checkNow(apiService.metadata.name ?? ''),
      ...forwarder,
    }),
    (step, ctx, at) => markStep(ctx.request.trace, step, at),
  );
  return (group, version) => {
    const apiService = apiServices.allLocal ? undefined : apiServices.remote(group, version);
    if (apiService === undefined) return undefined;
    return (request) => {
      const trace = (request.trace.forward = { apiService });
      return forward({ request, apiService, trace });
    };
  };
}
