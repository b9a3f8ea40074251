import { createServer, type Server } from 'node:https';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { basename, dirname } from 'node:path';
import { type CertificateAndKey, issueServingCertificate, createCA } from '@annex/auth';
import type { ClientConfig } from '@annex/client';
import type { KubeObject } from '@annex/machinery';

/** What the API server was asked. */
interface Review {
  kind: string;
  spec: { user?: string; groups?: string[]; token?: string; resourceAttributes?: Record<string, string> };
}

/** As much of an API server as an extension server asks for, and what it was asked. */
export interface ApiServer {
  config: ClientConfig;
  clientCa: CertificateAndKey;
  proxyCa: CertificateAndKey;
  reviews: Review[];
  /** Who may do what, as `user verb`. */
  allowed: Set<string>;
  /** User names by token. */
  tokens: Map<string, string>;
  /** What else it has, by the paths of the collections, which are empty where they are not named here. */
  collections: Map<string, KubeObject[]>;
  /** The paths of what may not be read, or is not there, and of which this is said. */
  refused: Map<string, 'Forbidden' | 'NotFound'>;
  /** Puts an object into a collection, and tells those who watch it. */
  put(collection: string, object: KubeObject): void;
  /** Replaces the data of the ConfigMap `extension-apiserver-authentication`, and tells those who watch it. */
  publish(data: Record<string, string>): void;
  stop(): Promise<void>;
}

export async function startApiServer(): Promise<ApiServer> {
  const [ca, clientCa, proxyCa] = await Promise.all(
    ['ca', 'clients', 'proxies'].map((name) => createCA(name)),
  );
  if (!ca || !clientCa || !proxyCa) throw new Error('no authorities');
  const serving = await issueServingCertificate(ca, { commonName: 'api', subjectAltNames: ['localhost'] });
  const watchers = new Set<{ collection: string; res: ServerResponse }>();
  let version = 1;
  const configMap = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'extension-apiserver-authentication', namespace: 'kube-system', resourceVersion: '1' },
    data: {
      'client-ca-file': clientCa.cert,
      'requestheader-client-ca-file': proxyCa.cert,
      'requestheader-allowed-names': '["proxy"]',
      'requestheader-username-headers': '["X-Remote-User"]',
      'requestheader-group-headers': '["X-Remote-Group"]',
      'requestheader-extra-headers-prefix': '["X-Remote-Extra-"]',
    } as Record<string, string>,
  };
  const api: ApiServer = {
    config: { server: '', ca: ca.cert },
    clientCa,
    proxyCa,
    reviews: [],
    allowed: new Set(),
    tokens: new Map(),
    publish(data) {
      configMap.data = data;
      configMap.metadata.resourceVersion = String(++version);
      tell(configMaps, event('MODIFIED', configMap));
    },
    collections: new Map([[namespaces, [namespace('default')]]]),
    refused: new Map(),
    put(collection, object) {
      const put = { ...object, metadata: { ...object.metadata, resourceVersion: String(++version) } };
      const others = (api.collections.get(collection) ?? []).filter(
        ({ metadata }) => metadata.name !== object.metadata.name,
      );
      api.collections.set(collection, [...others, put]);
      tell(collection, event('ADDED', put));
    },
    stop: () => stop(server),
  };
  const server = createServer(serving, (req, res) => void response(req, res));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  api.config.server = `https://localhost:${(server.address() as AddressInfo).port}`;
  return api;

  function tell(collection: string, line: string): void {
    for (const watcher of watchers) if (watcher.collection === collection) watcher.res.write(line);
  }

  async function response(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(req.url ?? '/', 'https://api');
    if (searchParams.has('watch')) {
      res.writeHead(200, { 'content-type': 'application/json' }).flushHeaders();
      watchers.add({ collection: pathname, res });
      return;
    }
    const send = (code: number, body: unknown) => res.writeHead(code).end(JSON.stringify(body));
    if (req.method === 'POST') return void send(201, review(await readReview(req), api));
    const metadata = { resourceVersion: String(version) };
    const reason = api.refused.get(pathname);
    if (reason !== undefined) return void send(codes[reason], failure(reason));
    if (pathname === configMaps) return void send(200, { metadata, items: [configMap] });
    if (pathname === '/api/v1')
      return void send(200, { resources: [{ name: 'secrets', kind: 'Secret', namespaced: true }] });
    const found = api.collections
      .get(dirname(pathname))
      ?.find((one) => one.metadata.name === basename(pathname));
    if (found !== undefined) return void send(200, found);
    const isCollection = api.collections.has(pathname) || registration.test(pathname);
    if (isCollection) return void send(200, { metadata, items: api.collections.get(pathname) ?? [] });
    send(404, failure('NotFound'));
  }
}

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

function stop(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(() => resolve()));
}
