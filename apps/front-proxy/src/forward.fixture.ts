import { generateKeyPairSync } from 'node:crypto';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';
import {
  type Authorizer,
  type CertificateAndKey,
  issueClientCertificate,
  issueServingCertificate,
  createCA,
} from '@annex/auth';
import { createMetrics, nullLogger, systemClock } from '@annex/runtime';
import {
  type Handler,
  type ServerDeps,
  createApiListener,
  requestSteps,
  routeTable,
  TraceLog,
  sendText,
} from '@annex/server';
import { createFeed, createMemoryStore } from '@annex/storage';
import { apiServiceManifest, externalServiceManifest, type RegistrationOptions } from '@annex/testkit';
import { createFrontProxy, type FrontProxyOptions } from './app.ts';

/** Certificates of a test: one CA for extension servers, one for the front proxy. They share a key, because generating keys is slow. */
export interface TestPki {
  ca: CertificateAndKey;
  serving: CertificateAndKey;
  frontProxyCa: CertificateAndKey;
  frontProxy: CertificateAndKey;
}

export async function makePki(): Promise<TestPki> {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const key = privateKey.export({ type: 'pkcs1', format: 'pem' }) as string;
  const ca = await createCA('ext-ca', { key });
  const frontProxyCa = await createCA('front-proxy-ca', { key });
  const names = { commonName: 'ext.default.svc', subjectAltNames: ['ext.default.svc'] };
  return {
    ca,
    frontProxyCa,
    serving: await issueServingCertificate(ca, names, { key }),
    frontProxy: await issueClientCertificate(frontProxyCa, { user: 'front-proxy-client' }, { key }),
  };
}

/** The request as an extension server received it. */
export interface Seen {
  method: string;
  url: string;
  clientCN: string | undefined;
  headers: Record<string, string[]>;
  body: string;
}

/** Reads a request as the extension servers of these tests report it. */
export async function see(req: IncomingMessage): Promise<Seen> {
  const chunks: Buffer[] = [];
  for await (const chunk of req) chunks.push(chunk as Buffer);
  const headers: Record<string, string[]> = {};
  for (let i = 0; i < req.rawHeaders.length; i += 2) {
    const name = (req.rawHeaders[i] as string).toLowerCase();
    (headers[name] ??= []).push(req.rawHeaders[i + 1] as string);
  }
  return {
    method: req.method ?? '',
    url: req.url ?? '',
    clientCN: (req.socket as TLSSocket).getPeerCertificate().subject?.CN as string | undefined,
    headers,
    body: Buffer.concat(chunks).toString(),
  };
}

export const echo = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
  const seen = await see(req);
  res.setHeader('content-type', 'application/json');
  res.end(JSON.stringify(seen));
};

/** Starts an extension server on this machine, by default on a free port. */
export async function startExtension(
  pki: TestPki,
  response: RequestListener,
  at = 0,
): Promise<{ port: number; server: Server }> {
  const server = createServer(
    { ...pki.serving, ca: pki.frontProxyCa.cert, requestCert: true, rejectUnauthorized: false },
    response,
  );
  const port = await new Promise<number>((resolve) =>
    server.listen(at, '127.0.0.1', () => resolve((server.address() as AddressInfo).port)),
  );
  return { port, server };
}

export function makeDeps(): ServerDeps {
  const store = createMemoryStore();
  return { store, feed: createFeed(store), clock: systemClock, log: nullLogger, metrics: createMetrics() };
}

const user = {
  name: 'jané',
  uid: 'u-1',
  groups: ['dev', 'system:authenticated'],
  extra: { 'example.com/scopes': ['a', 'b'] },
};

const localResponse: Handler = async (request) => sendText(request, 200, 'served here\n');

/** Starts a front proxy behind a listener that authenticates every client as the same user, who is allowed everything. */
export async function startFront(deps: ServerDeps, pki: TestPki, options: Partial<FrontProxyOptions> = {}) {
  const frontProxy = createFrontProxy(deps, {
    client: () => pki.frontProxy,
    managed: [],
    intervals: { available: 60_000, unavailable: 50 },
    ...options,
  });
  await frontProxy.start();
  const traces = new TraceLog(0);
  const authorizer: Authorizer = {
    name: 'test',
    authorize: () => ({ decision: 'allow', reason: '' }),
  };
  const steps = requestSteps({
    traces,
    ...deps,
    authenticator: { name: 'test', authenticate: () => ({ user, by: 'test' }) },
    authorizer,
    identityHeaders: ['x-remote-user', 'x-remote-group', 'x-remote-extra-'],
    requestTimeoutMs: 30_000,
    maxInFlight: { reads: 0, changes: 0 },
    routes: routeTable({
      traces: { traces, authorizer },
      about: { checks: [], metrics: deps.metrics, version: {} },
      api: {
        extensionServer: frontProxy.extensionServer,
        builtin: new Map([['apiregistration.k8s.io', frontProxy.handle]]),
        custom: localResponse,
        documents: localResponse,
      },
    }),
  });
  const listener = createApiListener({
    bindAddress: '127.0.0.1',
    port: 0,
    certificate: pki.serving.cert,
    key: pki.serving.key,
    clock: systemClock,
    steps,
    upgrades: true,
  });
  const port = await listener.start();
  return {
    port,
    frontProxy,
    stop: async () => {
      await listener.stop(100);
      await frontProxy.stop();
      await deps.feed.close();
      await deps.store.close();
    },
  };
}

const encode = (object: unknown): Buffer => Buffer.from(JSON.stringify(object));

export const externalService = (deps: ServerDeps, name: string, externalName?: string) =>
  deps.store.create(
    `/registry/services/specs/default/${name}`,
    encode(externalServiceManifest(name, externalName)),
  );

/** Registers an extension server, by default with the Service `ext`. */
export const register = (
  deps: ServerDeps,
  options: Omit<RegistrationOptions, 'service'> & { service?: string },
) =>
  deps.store.create(
    `/registry/apiregistration.k8s.io/apiservices/v1.${options.group}`,
    encode({ ...apiServiceManifest({ service: 'ext', ...options }), status: {} }),
  );

/** Resolves when the Available condition of an APIService has the reason. */
export function whenReason(deps: ServerDeps, group: string, reason: string): Promise<{ message: string }> {
  const prefix = '/registry/apiregistration.k8s.io/apiservices/';
  const cache = deps.feed.objects(prefix);
  const { promise, resolve } = Promise.withResolvers<{ message: string }>();
  const look = (value: unknown) => {
    const { status } = value as { status?: { conditions?: { reason: string; message: string }[] } };
    const found = status?.conditions?.find((condition) => condition.reason === reason);
    if (found) resolve(found);
  };
  const key = `${prefix}v1.${group}`;
  void cache.waitFor().then(() => {
    const { entries, revision } = cache.list(key);
    for (const entry of entries) look(entry.value.object);
    const end = cache.subscribe(key, revision, { onEvent: (event) => look(event.value.object) });
    void promise.then(end);
  });
  return promise;
}
