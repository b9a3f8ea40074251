import type { AuthorizerChain, RbacAuthorizer } from '@annex/auth';
import { createAuthorizationApp } from '@annex/authorization';
import { createCoreApi, type IpRange } from '@annex/core-api';
import { createCrdRegistry } from '@annex/crd-registry';
import { createDiscovery } from '@annex/discovery';
import { createFrontProxy } from '@annex/front-proxy';
import type { Part } from '@annex/runtime';
import { extensionAuthentication, forwardedIdentity, openIdDocuments, serviceRouting } from '@annex/process';
import {
  type App,
  type Backend,
  type AdmissionPlugin,
  nonResource,
  type ServerDeps,
  storeHealthChecks,
  versionInfo,
} from '@annex/server';
import { localPriority, ServiceResolver } from '@annex/aggregation';
import type { GroupDiscovery } from '@annex/kinds';
import type { Identities } from './identities.ts';
import type { Keys } from './keys.ts';
import { advertisedAddress, type UpConfig } from './up-options.ts';

/** What the apps are made of. */
export interface ComposeOptions {
  config: UpConfig;
  deps: ServerDeps;
  keys: Keys;
  identities: Identities;
  authorizer: AuthorizerChain;
  admission: readonly AdmissionPlugin[];
  rbac: RbacAuthorizer;
  serviceRange: IpRange;
  /** Where the server listens. */
  port: number;
}

/** Every app of one process, wired: what starts and stops, and where requests go. */
export function composeApps(options: ComposeOptions): { parts: Part[]; backend: Backend } {
  const { admission, authorizer, config, deps, identities, keys, port, rbac } = options;
  const coreApi = createCoreApi(deps, {
    admission,
    authenticator: identities.reviews,
    tokenIssuer: identities.issuer,
    serviceClusterIpRange: options.serviceRange,
    advertise: { address: advertisedAddress(config), port },
    eventTtlSeconds: Math.round(config.eventTtl / 1000),
  });
  const services = new ServiceResolver(deps.feed);
  const crdRegistry = createCrdRegistry(deps, {
    admission,
    resolveService: (service) => services.resolve(service),
  });
  const frontProxy = createFrontProxy(deps, {
    identityHeaders: forwardedIdentity(config),
    routing: serviceRouting(config),
    admission,
    client: () => keys.proxyClient.current(),
    extensionAuthentication: extensionAuthentication(config, keys),
  });
  const authorization = createAuthorizationApp({ ...deps, authorizer, rules: rbac }, { admission });
  const builtin = [coreApi, authorization];
  const sources = [frontProxy, ...builtin, crdRegistry].map((app) => app.discovery);
  const discovery = createDiscovery(deps, {
    sources,
    registrations: frontProxy.apiServices,
    fetchRemote: (apiService, request) => frontProxy.forwarder.fetch(apiService as never, request),
    place: localPriority,
    serverAddress: () => `${advertisedAddress(config)}:${port}`,
  });
  frontProxy.connect(
    {
      groups: new Map([...builtin.flatMap(groupsOf), ['apiextensions.k8s.io', crdRegistry]]),
      custom: crdRegistry,
      discovery,
    },
    [...builtin, crdRegistry].map((app) => app.discovery),
  );
  return {
    parts: [
      sideBySide([...builtin, crdRegistry]),
      { name: 'rbac', start: () => rbac.start() },
      frontProxy,
      discovery,
    ],
    backend: nonResource(
      aboutServer(options, () => frontProxy.paths()),
      frontProxy,
    ),
  };
}

/** What the process says of itself beside the API. */
const aboutServer = ({ config, deps, keys, port }: ComposeOptions, apiPaths: () => string[]) => ({
  checks: storeHealthChecks(deps),
  metrics: deps.metrics,
  version: versionInfo,
  apiPaths,
  documents: openIdDocuments({
    config,
    address: `${advertisedAddress(config)}:${port}`,
    verificationKeys: keys.serviceAccount.verificationKeys,
    log: deps.log,
  }),
});

/** Parts that do not need each other, as one. */
const sideBySide = (parts: readonly Part[]): Part => ({
  name: parts.map(({ name }) => name).join(', '),
  start: async () => void (await Promise.all(parts.map((part) => part.start?.()))),
  stop: async () => void (await Promise.all(parts.map((part) => part.stop?.()))),
});

/** The groups of built-in kinds that an app serves; they do not change while it runs. */
const groupsOf = (app: App): [string, App][] =>
  (app.discovery.groups() as GroupDiscovery[]).map(({ metadata }) => [metadata.name ?? '', app]);
