import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Client } from '@annex/client';
import {
  apiServiceManifest,
  type TestCA,
  createTestCA,
  type Credential,
  externalServiceManifest,
} from '@annex/testkit';
import { vi } from 'vitest';
import type { RunningAnnex } from '../running-annex.fixture.ts';

/** The differences between a set-up and a correct one. */
export interface Fault {
  /** The CA in the registration; by default the CA of the serving certificate. */
  trusts?: TestCA;
  /** PEM or text in `spec.caBundle`, instead of a CA. */
  bundle?: string;
  insecure?: boolean;
  serving?: (ca: TestCA, host: string) => Credential;
  response?: RequestListener;
  /** The port in the APIService, if it differs from that of the Service. */
  port?: number;
  /** The kind of Service, such as one without endpoints. */
  service?: 'none' | 'external' | 'endpoints' | 'selector' | 'unready' | 'other-port-name' | 'unresolvable';
  down?: boolean;
  /** Another version of the group, which is not served. */
  otherVersion?: string;
  group?: string;
}

/** A registered extension server. */
export interface SetUp {
  name: string;
  stop(): Promise<void>;
}

const version = (group: string) => ({
  kind: 'APIResourceList',
  apiVersion: 'v1',
  groupVersion: `${group}/v1`,
  resources: [{ name: 'things', singularName: 'thing', namespaced: true, kind: 'Thing', verbs: ['list'] }],
});

/** Serves discovery to every client. */
export const discovery =
  (group: string): RequestListener =>
  (req, res) => {
    res.setHeader('content-type', 'application/json');
    if (req.url === `/apis/${group}/v1`) res.end(JSON.stringify(version(group)));
    else res.writeHead(404).end('{"kind":"Status","apiVersion":"v1","status":"Failure","code":404}');
  };

let count = 0;

/** Registers an extension server as documented, except for a fault. */
export async function setUp({ admin }: RunningAnnex, fault: Fault = {}): Promise<SetUp> {
  const name = `ext-${++count}`;
  const group = fault.group ?? `${name}.example.com`;
  const ca = createTestCA(`${name}-ca`);
  const host = `${name}.default.svc`;
  const serving = (fault.serving ?? ((by) => by.issue({ commonName: host, dnsNames: [host] })))(ca, host);
  const server = await listen(serving, fault.response ?? discovery(group));
  const { port } = server.address() as AddressInfo;
  if (fault.down) await close(server);
  const service = fault.service ?? 'external';
  if (service !== 'none') await createService(admin, name, service, port);
  const servicePort = service === 'external' || service === 'unresolvable' ? port : 443;
  await admin.json({
    method: 'POST',
    path: '/apis/apiregistration.k8s.io/v1/apiservices',
    body: apiServiceManifest({
      group,
      service: name,
      port: fault.port ?? servicePort,
      ca: fault.insecure ? undefined : (fault.bundle ?? (fault.trusts ?? ca).certificate),
    }),
  });
  if (fault.otherVersion) {
    await admin.json({
      method: 'POST',
      path: '/apis/apiregistration.k8s.io/v1/apiservices',
      body: apiServiceManifest({
        group,
        version: fault.otherVersion,
        service: 'nowhere',
        port: 443,
        ca: undefined,
      }),
    });
  }
  return { name: `v1.${group}`, stop: () => close(server) };
}

async function listen(serving: Credential, response: RequestListener): Promise<Server> {
  const tls = { cert: serving.certificate, key: serving.key, requestCert: true, rejectUnauthorized: false };
  const server = createServer(tls, response);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

async function close(server: Server): Promise<void> {
  if (!server.listening) return;
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
}

async function createService(
  admin: Client,
  name: string,
  service: NonNullable<Fault['service']>,
  port: number,
): Promise<void> {
  const create = (path: string, body: object) => admin.json({ method: 'POST', path, body });
  const services = '/api/v1/namespaces/default/services';
  const external = { external: 'localhost', unresolvable: 'nowhere.invalid' }[service as string];
  if (external) return void (await create(services, externalServiceManifest(name, external)));
  const selector = service === 'selector' ? { selector: { app: name } } : {};
  await create(services, {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name },
    spec: { ports: [{ name: 'https', port: 443, targetPort: port }], ...selector },
  });
  if (service === 'selector') return;
  await create('/apis/discovery.k8s.io/v1/namespaces/default/endpointslices', {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { name: `${name}-1`, labels: { 'kubernetes.io/service-name': name } },
    // Slices must not contain loopback addresses.
    addressType: 'FQDN',
    ports: [{ name: service === 'other-port-name' ? 'api' : 'https', port }],
    endpoints: [{ addresses: ['localhost'], conditions: { ready: service !== 'unready' } }],
  });
}

/** Resolves when the API server has checked the availability of the server. */
export async function availabilityChecked({ admin }: RunningAnnex, name: string): Promise<void> {
  const path = `/apis/apiregistration.k8s.io/v1/apiservices/${name}`;
  const isChecked = async () => {
    const { status } = await admin.json<{ status: { conditions?: unknown[] } }>({ path });
    return (status.conditions ?? []).length > 0;
  };
  await vi.waitUntil(isChecked, { timeout: 10_000 });
}
