import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serveCoreApi, type ServedCoreApi } from '../../../served.fixture.ts';

let server: ServedCoreApi;
beforeAll(async () => {
  // Addresses for six Services beside `kubernetes`.
  server = await serveCoreApi('10.96.0.0/29');
});
afterAll(() => server.stop());

const path = '/api/v1/namespaces/default/services';
const ports = [{ port: 80 }];
const create = (name: string, spec: object, query = '') =>
  server.request('POST', `${path}${query}`, { kind: 'Service', metadata: { name }, spec });
const addresses = async () => {
  const { body } = await server.request('GET', '/apis/networking.k8s.io/v1/ipaddresses');
  return (body.items as { metadata: { name: string } }[]).map((item) => item.metadata.name);
};

describe('services', () => {
  it('get an address of the range, and release it', async () => {
    const { body } = await create('a', { ports });
    const { clusterIP } = body.spec as { clusterIP: string };
    expect(clusterIP).toMatch(/^10\.96\.0\.[2-6]$/);
    expect(body.spec).toMatchObject({
      clusterIPs: [clusterIP],
      ipFamilies: ['IPv4'],
      ipFamilyPolicy: 'SingleStack',
      internalTrafficPolicy: 'Cluster',
      sessionAffinity: 'None',
      type: 'ClusterIP',
      ports: [{ port: 80, protocol: 'TCP', targetPort: 80 }],
    });
    expect(await addresses()).toContain(clusterIP);
    await server.request('DELETE', `${path}/a`);
    expect(await addresses()).not.toContain(clusterIP);
  });

  it('allocate no address in a dry run', async () => {
    const before = await addresses();
    expect((await create('dry', { ports }, '?dryRun=All')).code).toBe(201);
    expect(await addresses()).toEqual(before);
  });

  it('keep the address in updates without it', async () => {
    const { body } = await create('kept', { ports, clusterIP: '10.96.0.5' });
    const spec = { ports: [{ port: 81 }] };
    const put = {
      kind: 'Service',
      metadata: { name: 'kept', resourceVersion: body.metadata.resourceVersion },
      spec,
    };
    expect((await server.request('PUT', `${path}/kept`, put)).body.spec).toMatchObject({
      clusterIP: '10.96.0.5',
    });
  });

  it('get different addresses when they are created concurrently', async () => {
    const made = await Promise.all(['b', 'c', 'd', 'e', 'f', 'g'].map((name) => create(name, { ports })));
    const provided = made
      .filter(({ code }) => code === 201)
      .map(({ body }) => (body.spec as { clusterIP: string }).clusterIP);
    expect(provided.sort()).toEqual(['10.96.0.2', '10.96.0.3', '10.96.0.4', '10.96.0.6']);
    const refused = made.find(({ code }) => code !== 201);
    expect(refused?.message).toContain('failed to allocate a serviceIP for Service');
    expect(refused?.message).toContain('range is full');
  });

  it.each([
    [
      'an address outside of the range',
      { ports, clusterIP: '10.1.1.1' },
      'Service "bad" is invalid: spec.clusterIPs: Invalid value: ["10.1.1.1"]: failed to allocate IP 10.1.1.1: the provided IP (10.1.1.1) is not in the valid range. The range of valid IPs is 10.96.0.0/29',
    ],
    [
      'an address that is taken',
      { ports, clusterIP: '10.96.0.5' },
      'Service "bad" is invalid: spec.clusterIPs: Invalid value: ["10.96.0.5"]: failed to allocate IP 10.96.0.5: provided IP is already allocated',
    ],
    ['no ports', {}, 'Service "bad" is invalid: spec.ports: Required value'],
    [
      'two ports without names',
      { ports: [{ port: 1 }, { port: 2 }] },
      'Service "bad" is invalid: [spec.ports[0].name: Required value, spec.ports[1].name: Required value]',
    ],
    [
      'an unknown type',
      { ports, type: 'Odd' },
      'Service "bad" is invalid: spec.type: Unsupported value: "Odd": supported values: "ClusterIP", "ExternalName", "LoadBalancer", "NodePort"',
    ],
    [
      'an external name that is none',
      { type: 'ExternalName' },
      'Service "bad" is invalid: spec.externalName: Required value',
    ],
  ])('refuse %s', async (_what, spec, message) => {
    expect((await create('bad', spec)).message).toBe(message);
  });

  it('of type ExternalName and headless ones have no address', async () => {
    expect((await create('name', { type: 'ExternalName', externalName: 'a.example.com' })).body.spec).toEqual(
      {
        externalName: 'a.example.com',
        sessionAffinity: 'None',
        type: 'ExternalName',
      },
    );
    expect((await create('headless', { clusterIP: 'None', selector: { a: 'b' } })).body.spec).toMatchObject({
      clusterIP: 'None',
      clusterIPs: ['None'],
      ipFamilies: ['IPv4'],
    });
  });
});
