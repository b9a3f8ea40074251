import {
  peerAt,
  openPeerCertificates,
  serviceRouting,
  type ProgramContext,
  standaloneProgram,
} from '@annex/process';
import { ApiServices, Forwarder, localPriority, RemoteDiscovery } from '@annex/aggregation';
import { createDiscovery } from './app.ts';
import { type DiscoveryConfig, discoveryConflicts, discoveryOptions } from './options.ts';

/** The discovery app in a separate process. */
export const discoveryProgram = standaloneProgram<DiscoveryConfig>({
  name: 'discovery',
  options: discoveryOptions,
  conflicts: discoveryConflicts,
  create,
});

async function create({ config, deps, files }: ProgramContext<DiscoveryConfig>) {
  const certificates = await openPeerCertificates(config, files);
  const urls = {
    'front-proxy': config.frontProxyUrl,
    'core-api': config.coreApiUrl,
    authorization: config.authorizationUrl,
    'crd-registry': config.crdRegistryUrl,
  };
  const sources = Object.entries(urls).map(
    ([name, url]) => new RemoteDiscovery(peerAt(name, url, certificates), deps),
  );
  const apiServices = new ApiServices(deps);
  const forwarder = new Forwarder(deps, {
    client: () => certificates.client.current(),
    routing: serviceRouting(config),
  });
  apiServices.onChange(({ name, after }) => {
    if (after === undefined) forwarder.transports.forget(name);
  });
  const app = createDiscovery(deps, {
    sources,
    registrations: apiServices,
    fetchRemote: (apiService, request) => forwarder.fetch(apiService, request),
    place: localPriority,
    serverAddress: () => `${config.advertiseAddress}:${config.advertisePort}`,
  });
  const parts = [
    ...sources.map((source) => ({
      name: `discovery of ${source.name}`,
      start: () => source.start(),
      stop: () => source.stop(),
    })),
    { name: 'services', start: () => forwarder.resolver.start(), stop: () => forwarder.close() },
    { name: 'APIServices', start: () => apiServices.start(), stop: () => apiServices.stop() },
  ];
  return {
    app,
    parts,
    ready: async () => void (await Promise.all(sources.map((source) => source.responded()))),
  };
}
