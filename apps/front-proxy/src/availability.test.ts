import { once } from 'node:events';
import { createServer as createHttpServer, type Server as HttpServer } from 'node:http';
import { createServer, request, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { ApiService } from '@annex/aggregation';
import type { ServerDeps } from '@annex/server';
import { createTestCA, holdTimeouts } from '@annex/testkit';
import { probeTimeoutMs } from './availability-check.ts';
import { withCondition } from './availability.ts';
import {
  type TestPki,
  externalService,
  makeDeps,
  makePki,
  register,
  startExtension,
  startFront,
  whenReason,
} from './forward.fixture.ts';
import { discoveryTimeoutMs } from './outgoing-request.ts';

let pki: TestPki;
let deps: ServerDeps;
let front: Awaited<ReturnType<typeof startFront>>;
let server: Server;
let port: number;

const encode = (object: unknown): Buffer => Buffer.from(JSON.stringify(object));
const clusterService = (name: string, ports: { name?: string; port: number }[]) =>
  deps.store.create(
    `/registry/services/specs/default/${name}`,
    encode({
      kind: 'Service',
      apiVersion: 'v1',
      metadata: { name, namespace: 'default' },
      spec: { type: 'ClusterIP', ports },
    }),
  );
const slice = (service: string, ready: boolean, portName: string, at = port) =>
  deps.store.create(
    `/registry/endpointslices/default/${service}-1`,
    encode({
      kind: 'EndpointSlice',
      apiVersion: 'discovery.k8s.io/v1',
      metadata: {
        name: `${service}-1`,
        namespace: 'default',
        labels: { 'kubernetes.io/service-name': service },
      },
      addressType: 'IPv4',
      endpoints: [{ addresses: ['127.0.0.1'], conditions: { ready } }],
      ports: [{ name: portName, port: at }],
    }),
  );

function statusOf(path: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port: front.port, path, rejectUnauthorized: false }, (res) => {
      res.resume();
      resolve(res.statusCode ?? 0);
    });
    sent.on('error', reject).end();
  });
}

beforeAll(async () => {
  pki = await makePki();
  deps = makeDeps();
  ({ server, port } = await startExtension(pki, (req, res) => {
    res.statusCode = req.url?.includes('broken') ? 500 : 200;
    res.end('{}');
  }));
  await externalService(deps, 'ext');
  front = await startFront(deps, pki);
});

afterAll(async () => {
  for (const one of [server, ...closing]) {
    one.closeAllConnections();
    one.close();
  }
  await front.stop();
});

const closing: (Server | HttpServer)[] = [];
async function listen(one: Server | HttpServer): Promise<number> {
  closing.push(one);
  one.listen(0, '127.0.0.1');
  await once(one, 'listening');
  return (one.address() as AddressInfo).port;
}

describe('the Available condition (G01) is', () => {
  it('Passed when the version is served', async () => {
    await register(deps, { group: 'good.io', port, ca: pki.ca.cert });
    expect((await whenReason(deps, 'good.io', 'Passed')).message).toBe('all checks passed');
    expect(await statusOf('/apis/good.io/v1/x')).toBe(200);
  });

  it('set for each of many APIServices that are due at the same time', async () => {
    const groups = Array.from({ length: 60 }, (_, i) => `many${i}.io`);
    await Promise.all(groups.map((group) => register(deps, { group, port, service: 'many' })));
    await Promise.all(groups.map((group) => whenReason(deps, group, 'ServiceNotFound')));
    await externalService(deps, 'many');
    await Promise.all(groups.map((group) => whenReason(deps, group, 'Passed')));
  });

  it('ServiceNotFound, and Passed as soon as the service exists', async () => {
    await register(deps, { group: 'late.io', port, service: 'late' });
    expect((await whenReason(deps, 'late.io', 'ServiceNotFound')).message).toBe(
      'service/late in "default" is not present',
    );
    expect(await statusOf('/apis/late.io/v1/x')).toBe(503);
    await externalService(deps, 'late');
    await whenReason(deps, 'late.io', 'Passed');
    expect(await statusOf('/apis/late.io/v1/x')).toBe(200);
  });

  it('FailedDiscoveryCheck with the status of the server', async () => {
    await register(deps, { group: 'broken.io', port, ca: pki.ca.cert });
    const url = `https://localhost:${port}/apis/broken.io/v1`;
    expect((await whenReason(deps, 'broken.io', 'FailedDiscoveryCheck')).message).toBe(
      `failing or missing response from ${url}: bad status from ${url}: 500`,
    );
  });

  it('FailedDiscoveryCheck if the port is closed', async () => {
    await register(deps, { group: 'down.io', port: 1, ca: pki.ca.cert });
    expect((await whenReason(deps, 'down.io', 'FailedDiscoveryCheck')).message).toMatch(
      /^failing or missing response from https:\/\/localhost:1\/apis\/down.io\/v1: Get "https:\/\/localhost:1\/apis\/down.io\/v1": dial tcp \S+:1: connect: connection refused$/,
    );
  });

  it('APIS-011 FailedDiscoveryCheck if another CA signed the certificate', async () => {
    await register(deps, {
      group: 'foreign.io',
      port,
      ca: pki.frontProxyCa.cert,
    });
    expect((await whenReason(deps, 'foreign.io', 'FailedDiscoveryCheck')).message).toContain(
      'tls: failed to verify certificate: x509: certificate signed by unknown authority',
    );
  });

  it('APIS-013 FailedDiscoveryCheck if the certificate names another service', async () => {
    await externalService(deps, 'other');
    await register(deps, { group: 'misnamed.io', port, service: 'other', ca: pki.ca.cert });
    expect((await whenReason(deps, 'misnamed.io', 'FailedDiscoveryCheck')).message).toContain(
      'x509: certificate is valid for ext.default.svc, not other.default.svc',
    );
  });

  it('FailedDiscoveryCheck if only the subject of the certificate names the service', async () => {
    const ca = createTestCA('extension-ca');
    const { certificate: cert, key } = ca.issue({ commonName: 'ext.default.svc', server: true });
    const old = await listen(createServer({ cert, key }, (_req, res) => res.end('{}')));
    await register(deps, { group: 'subject.io', port: old, ca: ca.certificate });
    expect((await whenReason(deps, 'subject.io', 'FailedDiscoveryCheck')).message).toContain(
      'tls: failed to verify certificate: x509: certificate relies on legacy Common Name field, use SANs instead',
    );
  });

  it('FailedDiscoveryCheck if the server does not use TLS', async () => {
    const http = await listen(createHttpServer((_req, res) => res.end('{}')));
    await register(deps, { group: 'http.io', port: http, ca: pki.ca.cert });
    expect((await whenReason(deps, 'http.io', 'FailedDiscoveryCheck')).message).toMatch(
      /: http: server gave HTTP response to HTTPS client$/,
    );
  });

  it('Passed by the status alone, even if the body breaks off', async () => {
    const cut = await startExtension(pki, (_req, res) => {
      res.writeHead(200, { 'content-length': 50 }).write('{}', () => res.destroy());
    });
    closing.push(cut.server);
    await register(deps, { group: 'cut.io', port: cut.port, ca: pki.ca.cert });
    await whenReason(deps, 'cut.io', 'Passed');
  });

  it('FailedDiscoveryCheck if the bundle is not PEM', async () => {
    await register(deps, { group: 'nopem.io', port, ca: 'no PEM' });
    expect((await whenReason(deps, 'nopem.io', 'FailedDiscoveryCheck')).message).toBe(
      'unable to load root certificates: unable to parse bytes as PEM block',
    );
  });

  it('ServicePortError, EndpointsNotFound and MissingEndpoints of a service with endpoints', async () => {
    await clusterService('cluster', [{ name: 'https', port: 443 }]);
    await register(deps, { group: 'port.io', port: 444, service: 'cluster' });
    expect((await whenReason(deps, 'port.io', 'ServicePortError')).message).toBe(
      'service/cluster in "default" is not listening on port 444',
    );
    await register(deps, {
      group: 'endpoints.io',
      port: 443,
      service: 'cluster',
    });
    expect((await whenReason(deps, 'endpoints.io', 'EndpointsNotFound')).message).toBe(
      'cannot find endpointslices for service/cluster in "default"',
    );
    await slice('cluster', true, 'http');
    expect((await whenReason(deps, 'endpoints.io', 'MissingEndpoints')).message).toBe(
      'endpointslices for service/cluster in "default" have no addresses with port name "https"',
    );
  });

  it('FailedDiscoveryCheck as soon as a request does not reach the server, and Passed when requests reach it again', async () => {
    const gone = await startExtension(pki, (_req, res) => res.end('{}'));
    await register(deps, { group: 'gone.io', port: gone.port, ca: pki.ca.cert });
    await whenReason(deps, 'gone.io', 'Passed');
    gone.server.closeAllConnections();
    gone.server.close();
    await once(gone.server, 'close');
    expect(await statusOf('/apis/gone.io/v1/x')).toBe(503);
    await whenReason(deps, 'gone.io', 'FailedDiscoveryCheck');
    const back = await startExtension(pki, (_req, res) => res.end('{}'), gone.port);
    await whenReason(deps, 'gone.io', 'Passed');
    back.server.closeAllConnections();
    back.server.close();
  });

  it('AGG-040 Passed if an EndpointSlice points to the server', async () => {
    await clusterService('sliced', [{ name: 'https', port: 443 }]);
    await slice('sliced', true, 'https');
    await register(deps, { group: 'sliced.io', port: 443, service: 'sliced' });
    await whenReason(deps, 'sliced.io', 'Passed');
    expect(await statusOf('/apis/sliced.io/v1/x')).toBe(200);
  });

  it('Passed if Endpoints point to the server and there are no slices', async () => {
    await clusterService('plain', [{ port: 443 }]);
    await deps.store.create(
      '/registry/services/endpoints/default/plain',
      encode({
        kind: 'Endpoints',
        apiVersion: 'v1',
        metadata: { name: 'plain', namespace: 'default' },
        subsets: [{ addresses: [{ ip: '127.0.0.1' }], ports: [{ port }] }],
      }),
    );
    await register(deps, { group: 'plain.io', port: 443, service: 'plain' });
    await whenReason(deps, 'plain.io', 'Passed');
  });
});

describe('a condition', () => {
  const base = (status: 'True' | 'False'): ApiService => ({
    metadata: { name: 'v1.g' },
    spec: { group: 'g', version: 'v1', groupPriorityMinimum: 1, versionPriority: 1 },
    status: {
      conditions: [{ type: 'Available', status, lastTransitionTime: 'then', reason: 'R', message: 'm' }],
    },
  });
  const conditionOf = (apiService: ApiService | undefined) => apiService?.status?.conditions?.[0];

  it('is not written if nothing changed', () => {
    expect(withCondition(base('True'), { status: 'True', reason: 'R', message: 'm' }, 'now')).toBeUndefined();
  });
  it('keeps its time while the status does not change', () => {
    const found = withCondition(base('False'), { status: 'False', reason: 'S', message: 'n' }, 'now');
    expect(conditionOf(found)).toEqual({
      type: 'Available',
      status: 'False',
      lastTransitionTime: 'then',
      reason: 'S',
      message: 'n',
    });
  });
  it('gets a new time with a new status', () => {
    const found = withCondition(base('False'), { status: 'True', reason: 'Passed', message: 'm' }, 'now');
    expect(conditionOf(found)?.lastTransitionTime).toBe('now');
  });
});

describe('an extension server that does not respond', () => {
  it('within probeTimeoutMs is not available', async () => {
    const timeouts = holdTimeouts();
    onTestFinished(() => timeouts[Symbol.dispose]());
    const probed = Promise.withResolvers<void>();
    const silent = await startExtension(pki, () => probed.resolve());
    closing.push(silent.server);
    await register(deps, { group: 'silent.io', port: silent.port, ca: pki.ca.cert });
    await probed.promise;
    // A check makes several attempts.
    const attempts = setInterval(() => timeouts.expire(probeTimeoutMs), 5);
    onTestFinished(() => clearInterval(attempts));
    const { message } = await whenReason(deps, 'silent.io', 'FailedDiscoveryCheck');
    expect(message).toContain('(Client.Timeout exceeded while awaiting headers)');
    expect(probeTimeoutMs).toBe(5_000);
  });

  it('to a request for its resources within discoveryTimeoutMs is a 503', async () => {
    const forwarded = Promise.withResolvers<void>();
    const silent = await startExtension(pki, (req, res) => {
      if (req.headers['user-agent'] === 'annex') res.end('{}');
      else forwarded.resolve();
    });
    closing.push(silent.server);
    await register(deps, { group: 'slow.io', port: silent.port, ca: pki.ca.cert });
    await whenReason(deps, 'slow.io', 'Passed');
    const timeouts = holdTimeouts();
    onTestFinished(() => timeouts[Symbol.dispose]());
    const status = statusOf('/apis/slow.io/v1');
    await Promise.race([forwarded.promise, status]);
    timeouts.expire(discoveryTimeoutMs);
    expect(await status).toBe(503);
    expect(discoveryTimeoutMs).toBe(5_000);
  });
});
