import { lookup } from 'node:dns/promises';
import type { Client } from '@annex/client';
import { getOwn, isReason, type KubeObject } from '@annex/machinery';
import type { KnownObjects } from '@annex/server';
import { ServiceResolver } from '@annex/aggregation';
import type { ResolveService } from '@annex/admission';

interface Address {
  host: string;
  port: number;
}

type Service = Parameters<ResolveService>[0];

/** Milliseconds for which an address is cached. */
const cachedMs = 5_000;

/**
 * Finds the addresses of webhook Services: by their cluster DNS name, or, if the name does not resolve, by
 * the endpoints that the API server returns.
 */
export function webhookServiceResolver(client: Client): ResolveService {
  const known = new Map<string, { until: number; address: Promise<Address> }>();
  return (service) => {
    const key = `${service.namespace}/${service.name}:${service.port}`;
    const now = performance.now();
    let found = known.get(key);
    if (found === undefined || found.until < now) {
      found = { until: now + cachedMs, address: addressOf(client, service) };
      known.set(key, found);
      found.address.catch(() => known.delete(key));
    }
    return found.address;
  };
}

async function addressOf(client: Client, service: Service): Promise<Address> {
  const named = { host: `${service.name}.${service.namespace}.svc`, port: service.port };
  if (await isResolvable(named.host)) return named;
  const objects = await objectsOf(client, service);
  // The connection then fails with the error of the name look-up.
  return objects === undefined ? named : new ServiceResolver({ objects }).resolve(service);
}

const isResolvable = (host: string): Promise<boolean> =>
  lookup(host).then(
    () => true,
    () => false,
  );

/** Returns the objects of a service; `undefined` if the API server has no such service or denies access. */
async function objectsOf(
  client: Client,
  { namespace, name }: Service,
): Promise<((prefix: string) => KnownObjects) | undefined> {
  const [core, discovery] = [
    `/api/v1/namespaces/${namespace}`,
    `/apis/discovery.k8s.io/v1/namespaces/${namespace}`,
  ];
  const get = (path: string) => client.json<KubeObject>({ path, timeoutMs: 10_000 });
  const slices = `${discovery}/endpointslices?labelSelector=kubernetes.io/service-name=${name}`;
  try {
    const found: Record<string, KubeObject[]> = {
      '/registry/services/specs/': [await get(`${core}/services/${name}`)],
      '/registry/services/endpoints/': await get(`${core}/endpoints/${name}`).then(
        (object) => [object],
        noneIfAbsent,
      ),
      '/registry/endpointslices/': await client
        .json<{ items: KubeObject[] | null }>({ path: slices, timeoutMs: 10_000 })
        .then(({ items }) => items ?? []),
    };
    return (prefix) => snapshot(prefix, getOwn(found, prefix) ?? []);
  } catch {
    return undefined;
  }
}

function noneIfAbsent(error: unknown): KubeObject[] {
  if (isReason(error, 'NotFound')) return [];
  throw error;
}

/** Returns the current objects under the keys of a prefix. */
function snapshot(prefix: string, objects: readonly KubeObject[]): KnownObjects {
  const entries = new Map(
    objects.map((object) => [
      `${prefix}${object.metadata.namespace}/${object.metadata.name}`,
      { value: { object } },
    ]),
  );
  return {
    waitFor: () => Promise.resolve(),
    revision: 1,
    size: entries.size,
    get: (key) => entries.get(key),
    list: (begin) => ({
      entries: [...entries].flatMap(([key, entry]) => (key.startsWith(begin) ? [entry] : [])),
    }),
  };
}
