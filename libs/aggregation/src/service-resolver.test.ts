import { createFeed, createMemoryStore, type Store } from '@annex/storage';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ServerDeps } from '@annex/server';
import { ResolveError, ServiceResolver, type ServiceRouting } from './service-resolver.ts';

let store: Store;
let feed: ServerDeps['feed'];
beforeEach(() => {
  store = createMemoryStore();
  feed = createFeed(store);
});
afterEach(async () => {
  await feed.close();
  await store.close();
});

const write = (key: string, object: object) => store.create(key, Buffer.from(JSON.stringify(object)));

const service = (spec: object) =>
  write('/registry/services/specs/a/s', {
    kind: 'Service',
    apiVersion: 'v1',
    metadata: { name: 's', namespace: 'a' },
    spec: { clusterIP: '10.0.0.7', ports: [{ name: 'api', port: 443 }], ...spec },
  });

const slice = (name: string, addressType: string, addresses: string[], ready?: boolean) =>
  write(`/registry/endpointslices/a/${name}`, {
    kind: 'EndpointSlice',
    apiVersion: 'discovery.k8s.io/v1',
    metadata: { name, namespace: 'a', labels: { 'kubernetes.io/service-name': 's' } },
    addressType,
    ports: [{ name: 'api', port: 8443 }],
    endpoints: [{ addresses, conditions: { ready } }],
  });

async function addresses(routing: ServiceRouting, port = 443): Promise<string[] | [string, string]> {
  const resolver = new ServiceResolver(feed, routing);
  await resolver.start();
  try {
    return resolver
      .addresses({ namespace: 'a', name: 's', port })
      .map((endpoint) => `${endpoint.host}:${endpoint.port}`);
  } catch (error) {
    if (!(error instanceof ResolveError)) throw error;
    return [error.reason, error.message];
  }
}

describe('AGG-040 with --enable-aggregator-routing a service resolves', () => {
  it('to the ready addresses of its endpoints, by the name of the port', async () => {
    await service({});
    await slice('s-1', 'IPv4', ['192.0.2.1']);
    await slice('s-2', 'IPv4', ['192.0.2.2'], false);
    expect(await addresses('endpoints')).toEqual(['192.0.2.1:8443']);
  });

  it('to those of its first address family, if there are any', async () => {
    await service({ ipFamilies: ['IPv6', 'IPv4'] });
    await slice('s-4', 'IPv4', ['192.0.2.1']);
    await slice('s-6', 'IPv6', ['2001:db8::1']);
    expect(await addresses('endpoints')).toEqual(['2001:db8::1:8443']);
  });

  it("to the proxy's error for an unknown port of a NodePort, or without endpoints", async () => {
    await service({ type: 'NodePort' });
    expect(await addresses('endpoints', 80)).toEqual([
      'FailedDiscoveryCheck',
      'no service port 80 found for service "s"',
    ]);
    expect(await addresses('endpoints')).toEqual([
      'FailedDiscoveryCheck',
      'no endpoints available for service "s"',
    ]);
  });
});

describe('without it a service resolves', () => {
  it('to its cluster IP, if it has endpoints', async () => {
    await service({});
    expect(await addresses('cluster-ip')).toEqual([
      'EndpointsNotFound',
      'cannot find endpointslices for service/s in "a"',
    ]);
    await slice('s-1', 'IPv4', ['192.0.2.1']);
    expect(await addresses('cluster-ip')).toEqual(['10.0.0.7:443']);
  });

  it('to its cluster IP even without endpoints, if it is a NodePort', async () => {
    await service({ type: 'NodePort' });
    expect(await addresses('cluster-ip')).toEqual(['10.0.0.7:443']);
  });

  it('to an error, if it has no cluster IP', async () => {
    await service({ clusterIP: 'None' });
    await slice('s-1', 'IPv4', ['192.0.2.1']);
    expect(await addresses('cluster-ip')).toEqual([
      'FailedDiscoveryCheck',
      'cannot route to service with ClusterIP "None"',
    ]);
  });
});

it.each<ServiceRouting>(['endpoints', 'cluster-ip'])(
  'an external name resolves to its host and the port of the reference, by %s',
  async (routing) => {
    await service({ type: 'ExternalName', externalName: 'api.example.com', ports: [] });
    expect(await addresses(routing, 8443)).toEqual(['api.example.com:8443']);
  },
);
