import { bearerTokenAuthenticator } from '@annex/auth';
import { createAuthorizationApp } from '@annex/authorization';
import { createCoreApi, IpRange } from '@annex/core-api';
import { createCrdRegistry } from '@annex/crd-registry';
import { createDiscovery } from '@annex/discovery';
import { createFrontProxy, type FrontProxy } from '@annex/front-proxy';
import type { Part } from '@annex/runtime';
import {
  type Composition,
  extensionAuthentication,
  forwardedIdentity,
  openAuthentication,
  openIdDocuments,
  type ProgramContext,
  serviceRouting,
  tokenIssuerOf,
} from '@annex/process';
import { type App, type Handler } from '@annex/server';
import type { GroupDiscovery } from '@annex/kinds';
import { localPriority, ServiceResolver } from '@annex/aggregation';
import { openAdmission } from '@annex/admission';
import type { UpIdentities } from './identities.ts';
import { advertisedAddress, type UpConfig } from './up-options.ts';

/** Creates every app, and the routes to them. */
export async function composeApps(context: ProgramContext<UpConfig, UpIdentities>): Promise<Composition> {
  const { authorizer, config, deps, files, identities, rbac } = context;
  const { signingKey, verificationKeys } = identities.serviceAccount;
  const authentication = await openAuthentication(config, { files, deps, verificationKeys });
  const admission = await openAdmission(deps, authorizer, config);
  const advertise = advertised(context);
  const coreApi = createCoreApi(deps, {
    admission,
    advertise,
    authenticator: authentication.reviews,
    tokenIssuer: tokenIssuerOf(config, signingKey, deps),
    serviceClusterIpRange: new IpRange(config.serviceClusterIpRange),
    enablePriorityAndFairness: config.enablePriorityAndFairness,
    eventTtlSeconds: Math.round(config.eventTtl / 1000),
  });
  const authorization = createAuthorizationApp({ ...deps, authorizer, rules: rbac }, { admission });
  const services = new ServiceResolver(deps.feed);
  const crdRegistry = createCrdRegistry(deps, {
    admission,
    resolveService: (service) => services.resolve(service),
  });
  const builtin = [coreApi, authorization];
  const frontProxy = createFrontProxy(deps, {
    identityHeaders: forwardedIdentity(config),
    routing: serviceRouting(config),
    managed: [...builtin, crdRegistry].map((app) => app.discovery),
    admission,
    client: () => identities.proxyClient.current(),
    extensionAuthentication: extensionAuthentication(config, identities),
  });
  const address = () => `${config.externalHostname ?? advertise.address}:${advertise.port}`;
  const discovery = createDiscovery(deps, {
    sources: [frontProxy, ...builtin, crdRegistry].map((app) => app.discovery),
    registrations: frontProxy.apiServices,
    fetchRemote: (apiService, request) => frontProxy.forwarder.fetch(apiService as never, request),
    place: localPriority,
    serverAddress: address,
  });
  const documents = openIdDocuments({ config, address, verificationKeys, log: deps.log });
  return {
    authentication: {
      authenticators: [bearerTokenAuthenticator(authentication.tokens)],
      anonymous: authentication.anonymous,
      behindFrontProxy: false,
    },
    routes: { documents, ...routesOf({ builtin, crdRegistry, discovery, frontProxy }) },
    refusedAtStart: 'everything',
    parts: [
      authentication.part,
      sideBySide([...builtin, crdRegistry]),
      sideBySide([{ name: 'rbac', start: () => rbac.start() }, frontProxy]),
      discovery,
    ],
  };
}

interface Apps {
  builtin: readonly App[];
  crdRegistry: App;
  discovery: App;
  frontProxy: FrontProxy;
}

/** The routes of the API. */
const routesOf = ({ builtin, crdRegistry, discovery, frontProxy }: Apps) => ({
  apiPaths: () => frontProxy.paths(),
  api: {
    extensionServer: frontProxy.extensionServer,
    documents: discovery.handle,
    builtin: new Map([
      ...[...builtin, frontProxy].flatMap(groupsOf),
      ['apiextensions.k8s.io', crdRegistry.handle],
    ]),
    custom: crdRegistry.handle,
  },
});

/** Returns the address that clients use to reach the server. */
const advertised = ({ config, port }: ProgramContext<UpConfig, UpIdentities>) => ({
  address: advertisedAddress(config),
  get port() {
    return port();
  },
});

/** Combines parts that do not depend on each other into one, which starts and stops them concurrently. */
const sideBySide = (parts: readonly Part[]): Part => ({
  name: parts.map(({ name }) => name).join(', '),
  start: async () => void (await Promise.all(parts.map((part) => part.start?.()))),
  stop: async () => void (await Promise.all(parts.map((part) => part.stop?.()))),
});

/** Returns the groups of built-in kinds that an app serves; they do not change while it runs. */
const groupsOf = (app: App): [string, Handler][] =>
  (app.discovery.groups() as GroupDiscovery[]).map(({ metadata }) => [metadata.name ?? '', app.handle]);
