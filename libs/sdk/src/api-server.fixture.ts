import { createServer, type Server } from 'node:https';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type CertificateAndKey, issueServingCertificate, newCertificateAuthority } from '@annex/auth';
import type { ClientConfig } from '@annex/client';

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
  /** Replaces the data of the ConfigMap `extension-apiserver-authentication`, and tells those who watch it. */
  publish(data: Record<string, string>): void;
  stop(): Promise<void>;
}

export async function startApiServer(): Promise<ApiServer> {
  const [ca, clientCa, proxyCa] = await Promise.all(
    ['ca', 'clients', 'proxies'].map((name) => newCertificateAuthority(name)),
  );
  if (!ca || !clientCa || !proxyCa) throw new Error('no authorities');
  const serving = await issueServingCertificate(ca, { commonName: 'api', subjectAltNames: ['localhost'] });
  const watchers = new Set<ServerResponse>();
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
      for (const watcher of watchers) watcher.write(event('MODIFIED', configMap));
    },
    stop: () => stop(server),
  };
  const server = createServer(serving, (req, res) => void answer(req, res));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  api.config.server = `https://localhost:${(server.address() as AddressInfo).port}`;
  return api;

  async function answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(req.url ?? '/', 'https://api');
    if (searchParams.has('watch')) {
      res.writeHead(200, { 'content-type': 'application/json' }).flushHeaders();
      if (pathname.endsWith('/configmaps')) watchers.add(res);
      return;
    }
    const send = (code: number, body: unknown) => res.writeHead(code).end(JSON.stringify(body));
    if (req.method === 'POST') return void send(201, review(await readReview(req), api));
    const metadata = { resourceVersion: String(version) };
    if (pathname === '/api/v1/namespaces') return void send(200, { metadata, items: [namespace('default')] });
    if (pathname === '/api/v1/namespaces/default') return void send(200, namespace('default'));
    if (pathname.endsWith('/configmaps')) return void send(200, { metadata, items: [configMap] });
    if (pathname === '/api/v1/namespaces/default') return void send(200, namespace('default'));
    send(404, { kind: 'Status', apiVersion: 'v1', status: 'Failure', reason: 'NotFound', code: 404 });
  }
}

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

function review(asked: Review, { reviews, tokens, allowed }: ApiServer): unknown {
  reviews.push(asked);
  const { user, token, resourceAttributes } = asked.spec;
  if (asked.kind === 'SubjectAccessReview') {
    return { ...asked, status: { allowed: allowed.has(`${user} ${resourceAttributes?.verb}`) } };
  }
  const username = tokens.get(token ?? '');
  const status =
    username === undefined ? {} : { authenticated: true, user: { username, groups: ['testers'] } };
  return { ...asked, status };
}

function stop(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(() => resolve()));
}
