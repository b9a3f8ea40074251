import { createServer, type Server } from 'node:https';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { basename, dirname } from 'node:path';
import { type CertificateAndKey, issueServingCertificate, createCA } from '@annex/auth';
import type { ClientConfig } from '@annex/client';
import type { KubeObject } from '@annex/machinery';

/** A received SubjectAccessReview or TokenReview. */
interface Review {
  kind: string;
  spec: { user?: string; groups?: string[]; token?: string; resourceAttributes?: Record<string, string> };
}

/** The part of an API server that extension API servers call, and the received reviews. */
export interface ApiServer {
  config: ClientConfig;
  clientCa: CertificateAndKey;
  proxyCa: CertificateAndKey;
  reviews: Review[];
  /** The permissions, as `user verb`. */
  allowed: Set<string>;
  /** User names by token. */
  tokens: Map<string, string>;
  /** Other objects, by the path of their collection. Collections that are not named here are empty. */
  collections: Map<string, KubeObject[]>;
  /** The paths that fail, with the reason. */
  refused: Map<string, 'Forbidden' | 'NotFound'>;
  /** Adds an object to a collection, and sends an event to its watches. */
  put(collection: string, object: KubeObject): void;
  /** Replaces the data of the ConfigMap `extension-apiserver-authentication`, and sends an event to its watches. */
  publish(data: Record<string, string>): void;
  stop(): Promise<void>;
}

/** Starts an API server that has the namespace `default` and the authentication ConfigMap. */
export async function startApiServer(): Promise<ApiServer> {
  const [ca, clientCa, proxyCa] = await Promise.all(
    ['ca', 'clients', 'proxies'].map((name) => createCA(name)),
  );
  if (!ca || !clientCa || !proxyCa) throw new Error('no CAs');
  const api = new TestApiServer({ server: '', ca: ca.cert }, clientCa, proxyCa);
  await api.start(await issueServingCertificate(ca, { commonName: 'api', subjectAltNames: ['localhost'] }));
  return api;
}

class TestApiServer implements ApiServer {
  readonly config: ClientConfig;
  readonly clientCa: CertificateAndKey;
  readonly proxyCa: CertificateAndKey;
  readonly reviews: Review[] = [];
  readonly allowed = new Set<string>();
  readonly tokens = new Map<string, string>();
  readonly collections = new Map<string, KubeObject[]>([[namespaces, [namespace('default')]]]);
  readonly refused = new Map<string, 'Forbidden' | 'NotFound'>();
  readonly #watchers = new Set<{ collection: string; res: ServerResponse }>();
  /** All events, for watches that begin after them. */
  readonly #events: { version: number; collection: string; line: string }[] = [];
  readonly #configMap: ReturnType<typeof authenticationConfigMap>;
  #server: Server | undefined;
  #version = 1;

  constructor(config: ClientConfig, clientCa: CertificateAndKey, proxyCa: CertificateAndKey) {
    this.config = config;
    this.clientCa = clientCa;
    this.proxyCa = proxyCa;
    this.#configMap = authenticationConfigMap(clientCa.cert, proxyCa.cert);
  }

  async start(serving: CertificateAndKey): Promise<void> {
    const server = createServer(serving, (req, res) => void this.#respond(req, res));
    this.#server = server;
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    this.config.server = `https://localhost:${(server.address() as AddressInfo).port}`;
  }

  publish(data: Record<string, string>): void {
    this.#configMap.data = data;
    this.#configMap.metadata.resourceVersion = String(++this.#version);
    this.#notify(configMaps, event('MODIFIED', this.#configMap));
  }

  put(collection: string, object: KubeObject): void {
    const put = { ...object, metadata: { ...object.metadata, resourceVersion: String(++this.#version) } };
    const others = (this.collections.get(collection) ?? []).filter(
      ({ metadata }) => metadata.name !== object.metadata.name,
    );
    this.collections.set(collection, [...others, put]);
    this.#notify(collection, event('ADDED', put));
  }

  stop(): Promise<void> {
    this.#server?.closeAllConnections();
    return new Promise((resolve) => this.#server?.close(() => resolve()));
  }

  #notify(collection: string, line: string): void {
    this.#events.push({ version: this.#version, collection, line });
    for (const watcher of this.#watchers) if (watcher.collection === collection) watcher.res.write(line);
  }

  async #respond(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(req.url ?? '/', 'https://api');
    if (searchParams.has('watch')) {
      res.writeHead(200, { 'content-type': 'application/json' }).flushHeaders();
      const after = Number(searchParams.get('resourceVersion'));
      for (const { version, collection, line } of this.#events)
        if (collection === pathname && version > after) res.write(line);
      this.#watchers.add({ collection: pathname, res });
      return;
    }
    const [code, body] =
      req.method === 'POST' ? [201, review(await readReview(req), this)] : this.#get(pathname);
    res.writeHead(code).end(JSON.stringify(body));
  }

  #get(path: string): [code: number, body: unknown] {
    const metadata = { resourceVersion: String(this.#version) };
    const reason = this.refused.get(path);
    if (reason !== undefined) return [codes[reason], failure(reason)];
    if (path === configMaps) return [200, { metadata, items: [this.#configMap] }];
    if (path === '/api/v1')
      return [200, { resources: [{ name: 'secrets', kind: 'Secret', namespaced: true }] }];
    const found = this.collections.get(dirname(path))?.find((one) => one.metadata.name === basename(path));
    if (found !== undefined) return [200, found];
    const isCollection = this.collections.has(path) || registration.test(path);
    return isCollection
      ? [200, { metadata, items: this.collections.get(path) ?? [] }]
      : [404, failure('NotFound')];
  }
}

const authenticationConfigMap = (clientCa: string, proxyCa: string) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'extension-apiserver-authentication', namespace: 'kube-system', resourceVersion: '1' },
  data: {
    'client-ca-file': clientCa,
    'requestheader-client-ca-file': proxyCa,
    'requestheader-allowed-names': '["proxy"]',
    'requestheader-username-headers': '["X-Remote-User"]',
    'requestheader-group-headers': '["X-Remote-Group"]',
    'requestheader-extra-headers-prefix': '["X-Remote-Extra-"]',
  } as Record<string, string>,
});

const configMaps = '/api/v1/namespaces/kube-system/configmaps';
const namespaces = '/api/v1/namespaces';
const registration = /^\/apis\/admissionregistration\.k8s\.io\/v1\/[a-z]+$/;

const codes = { Forbidden: 403, NotFound: 404 };
const failure = (reason: keyof typeof codes) => ({
  kind: 'Status',
  apiVersion: 'v1',
  status: 'Failure',
  message: reason,
  reason,
  code: codes[reason],
});

const namespace = (name: string) => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name, resourceVersion: '1' },
});
const event = (type: string, object: unknown): string => `${JSON.stringify({ type, object })}\n`;

async function readReview(req: IncomingMessage): Promise<Review> {
  let text = '';
  for await (const chunk of req as AsyncIterable<Buffer>) text += chunk.toString();
  return JSON.parse(text) as Review;
}

function review(requested: Review, { reviews, tokens, allowed }: ApiServer): unknown {
  reviews.push(requested);
  const { user, token, resourceAttributes } = requested.spec;
  if (requested.kind === 'SubjectAccessReview') {
    return { ...requested, status: { allowed: allowed.has(`${user} ${resourceAttributes?.verb}`) } };
  }
  const username = tokens.get(token ?? '');
  const status =
    username === undefined ? {} : { authenticated: true, user: { username, groups: ['testers'] } };
  return { ...requested, status };
}
