import type { KubeObject } from '@annex/machinery';
import type { KnownObjects } from '@annex/server';
import { type ServiceReference, portOf } from './api-service.ts';
import type { Endpoint } from '@annex/http';

/** The fields of the three kinds that resolve a service to an address. */
interface Service extends KubeObject {
  spec?: {
    type?: string;
    externalName?: string;
    clusterIP?: string;
    ipFamilies?: string[];
    ports?: { name?: string; port: number }[];
  };
}
interface EndpointSlice extends KubeObject {
  addressType?: string;
  endpoints?: { addresses?: string[]; conditions?: { ready?: boolean } }[] | null;
  ports?: { name?: string; port?: number }[] | null;
}
interface Endpoints extends KubeObject {
  subsets?: { addresses?: { ip: string }[]; ports?: { name?: string; port: number }[] }[] | null;
}

/**
 * A service cannot be resolved: `reason` and message are those of the Available condition of an APIService.
 */
export class ResolveError extends Error {
  readonly reason: string;

  constructor(reason: string, message: string) {
    super(message);
    this.name = 'ResolveError';
    this.reason = reason;
  }
}

const unroutable = (message: string): ResolveError => new ResolveError('FailedDiscoveryCheck', message);

const prefixes = {
  services: '/registry/services/specs/',
  slices: '/registry/endpointslices/',
  endpoints: '/registry/services/endpoints/',
} as const;

/** The prefixes of all objects that a resolution depends on. */
export const resolverPrefixes: readonly string[] = Object.values(prefixes);

/** Followed objects, by the prefix of their keys. */
interface ObjectsByPrefix {
  objects(prefix: string): KnownObjects;
}

/**
 * How services are reached: by the addresses of their endpoints, or by their cluster IP, which a kube-proxy
 * routes.
 */
export type ServiceRouting = 'endpoints' | 'cluster-ip';

/**
 * Resolves services to addresses from the watch caches. An ExternalName resolves to its host and the port of
 * the reference. Every other service resolves to its endpoints, by the name of the port, or to its cluster IP
 * if the machine has a kube-proxy. EndpointSlices take precedence; Endpoints are used if no controller
 * mirrors them into slices.
 */
export class ServiceResolver {
  readonly #feed: ObjectsByPrefix;
  readonly #routing: ServiceRouting;
  #turn = 0;

  constructor(feed: ObjectsByPrefix, routing: ServiceRouting = 'endpoints') {
    this.#feed = feed;
    this.#routing = routing;
  }

  /** Resolves when all services and endpoints are loaded; earlier resolutions would be incomplete. */
  async start(): Promise<void> {
    await Promise.all(resolverPrefixes.map((prefix) => this.#feed.objects(prefix).waitFor()));
  }

  /** Returns one address of the service, round-robin. Throws {@link ResolveError}. */
  resolve(reference: ServiceReference): Endpoint {
    const addresses = this.addresses(reference);
    return addresses[this.#turn++ % addresses.length] as Endpoint;
  }

  /** Returns all addresses of the service, at least one. Throws {@link ResolveError}. */
  addresses(reference: ServiceReference): Endpoint[] {
    const { namespace, name } = reference;
    const port = portOf(reference);
    const service = this.#get<Service>(prefixes.services, `${namespace}/${name}`);
    const where = `service/${name} in ${JSON.stringify(namespace)}`;
    if (service === undefined) throw new ResolveError('ServiceNotFound', `${where} is not present`);
    if (service.spec?.type === 'ExternalName') return [{ host: service.spec.externalName ?? '', port }];
    const { clusterIP = '', ports = [], type = 'ClusterIP' } = service.spec ?? {};
    const servicePort = ports.find((candidate) => candidate.port === port);
    // For other types, kube-apiserver reports the error of its proxy.
    const isPlain = type === 'ClusterIP';
    if (servicePort === undefined) {
      if (isPlain) throw new ResolveError('ServicePortError', `${where} is not listening on port ${port}`);
      throw unroutable(`no service port ${port} found for service ${JSON.stringify(name)}`);
    }
    try {
      const endpoints = this.#endpoints(service, servicePort.name ?? '', where);
      if (this.#routing === 'endpoints') return endpoints;
    } catch (error) {
      if (isPlain) throw error;
      if (this.#routing === 'endpoints')
        throw unroutable(`no endpoints available for service ${JSON.stringify(name)}`);
    }
    if (clusterIP === 'None') throw unroutable('cannot route to service with ClusterIP "None"');
    return [{ host: clusterIP, port }];
  }

  #endpoints(service: Service, portName: string, where: string): Endpoint[] {
    const { namespace = '', name = '' } = service.metadata;
    const slices = this.#slices(namespace, name);
    const endpoints = this.#get<Endpoints>(prefixes.endpoints, `${namespace}/${name}`);
    if (slices.length === 0 && endpoints === undefined) {
      throw new ResolveError('EndpointsNotFound', `cannot find endpointslices for ${where}`);
    }
    const found = sliceAddresses(slices, portName, service.spec?.ipFamilies?.[0]);
    const all = found.length > 0 || endpoints === undefined ? found : endpointsAddresses(endpoints, portName);
    if (all.length === 0) {
      const message = `endpointslices for ${where} have no addresses with port name ${JSON.stringify(portName)}`;
      throw new ResolveError('MissingEndpoints', message);
    }
    return all;
  }

  #slices(namespace: string, name: string): EndpointSlice[] {
    return this.#feed
      .objects(prefixes.slices)
      .list(`${prefixes.slices}${namespace}/`)
      .entries.map((entry) => entry.value.object as EndpointSlice)
      .filter((slice) => slice.metadata.labels?.['kubernetes.io/service-name'] === name);
  }

  #get<T extends KubeObject>(prefix: string, key: string): T | undefined {
    return this.#feed.objects(prefix).get(prefix + key)?.value.object as T | undefined;
  }
}

/**
 * Returns the ready addresses with that port, only those of the service's first IP family if there are any.
 */
function sliceAddresses(slices: EndpointSlice[], portName: string, family: string | undefined): Endpoint[] {
  const found = slices.flatMap((slice) =>
    (slice.ports ?? [])
      .filter((port) => (port.name ?? '') === portName && port.port !== undefined)
      .flatMap((port) =>
        (slice.endpoints ?? [])
          .filter((endpoint) => endpoint.conditions?.ready !== false && endpoint.addresses?.[0] !== undefined)
          .map((endpoint) => ({
            family: slice.addressType,
            address: { host: endpoint.addresses?.[0] ?? '', port: port.port ?? 0 },
          })),
      ),
  );
  const preferred = found.filter((one) => one.family === family);
  return (preferred.length > 0 ? preferred : found).map((one) => one.address);
}

function endpointsAddresses(endpoints: Endpoints, portName: string): Endpoint[] {
  return (endpoints.subsets ?? []).flatMap((subset) =>
    (subset.ports ?? [])
      .filter((port) => (port.name ?? '') === portName)
      .flatMap((port) => (subset.addresses ?? []).map(({ ip }) => ({ host: ip, port: port.port }))),
  );
}
