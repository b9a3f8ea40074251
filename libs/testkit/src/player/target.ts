import type { IncomingMessage } from 'node:http';
import { Agent, request as httpsRequest } from 'node:https';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTestCA, type CertificateRequest, loadTestCA } from '../certificates.ts';
import type { Identity } from './recording.ts';

/** A request to the server under test. */
export interface TargetRequest {
  as: Identity;
  method: string;
  path: string;
  headers?: Record<string, string | string[]>;
  body?: string;
  /** Milliseconds until the response must begin. */
  timeout?: number;
}

/** The server under test: its URL, and the CAs that sign client certificates. */
export interface Target {
  /** `ca.crt` of the CA that signs the client certificates of front proxies. */
  readonly frontProxyCa: string;
  /** Resolves when the response head arrives. */
  open(request: TargetRequest): Promise<IncomingMessage>;
  close(): void;
}

interface Client {
  agent: Agent;
  headers: Record<string, string | string[]>;
}

/**
 * Creates the target for a URL, or the URLs of replicas that get the requests in turn, and a folder with the certificates and keys of `ca` and
 * `front-proxy-ca`.
 */
export function createTarget(server: string | readonly string[], pkiFolder: string): Target {
  const addresses = [server].flat().map((url) => {
    const { hostname, port } = new URL(url);
    return { hostname, port: port || '443' };
  });
  let turn = 0;
  const clients = new Map<string, Client>();
  const clientOf = (identity: Identity): Client => {
    const key = JSON.stringify(identity);
    const client = clients.get(key) ?? makeClient(identity, pkiFolder);
    clients.set(key, client);
    return client;
  };
  return {
    frontProxyCa: readFileSync(join(pkiFolder, 'front-proxy-ca.crt'), 'utf8'),
    open: (request) => open(clientOf(request.as), addresses[turn++ % addresses.length]!, request),
    close: () => clients.forEach(({ agent }) => agent.destroy()),
  };
}

function open(
  client: Client,
  address: { hostname: string; port: string },
  request: TargetRequest,
): Promise<IncomingMessage> {
  const { method, path, headers, body, timeout = 40_000 } = request;
  return new Promise((resolve, reject) => {
    const outgoing = httpsRequest({
      ...address,
      agent: client.agent,
      method,
      path,
      headers: { Accept: 'application/json', 'User-Agent': 'scenario/1.0', ...client.headers, ...headers },
      timeout,
    });
    // HTTP/1.1 connections are kept alive without a header.
    if (headers?.Connection === undefined) outgoing.removeHeader('connection');
    if (body !== undefined) outgoing.setHeader('Content-Length', Buffer.byteLength(body));
    outgoing.on('timeout', () => outgoing.destroy(new Error('timed out')));
    outgoing.on('response', resolve);
    outgoing.on('error', (error: NodeJS.ErrnoException) => {
      // The server may have closed an idle connection concurrently.
      const stale = outgoing.reusedSocket && error.code === 'ECONNRESET';
      if (stale) resolve(open(client, address, request));
      else reject(error);
    });
    outgoing.end(body);
  });
}

function makeClient(identity: Identity, pkiFolder: string): Client {
  const headers: Record<string, string | string[]> = {};
  const agent = (request?: CertificateRequest, ca = 'ca') => {
    const signer = ca === '' ? createTestCA('wrong') : loadTestCA(pkiFolder, ca);
    const credential = request === undefined ? undefined : signer.issue(request);
    return new Agent({
      keepAlive: true,
      maxCachedSessions: 0,
      rejectUnauthorized: false,
      ALPNProtocols: ['http/1.1'],
      ...(credential ? { cert: credential.certificate, key: credential.key } : {}),
    });
  };
  if (identity === 'admin') {
    return { headers, agent: agent({ commonName: 'admin', organizations: ['system:masters'] }) };
  }
  if (identity === 'anonymous') return { headers, agent: agent() };
  if ('token' in identity) {
    headers.Authorization = `Bearer ${identity.token}`;
    return { headers, agent: agent() };
  }
  if ('frontProxy' in identity) {
    if (identity.user !== undefined) headers['X-Remote-User'] = identity.user;
    if (identity.groups?.length) headers['X-Remote-Group'] = identity.groups;
    for (const [name, values] of Object.entries(identity.extra ?? {}))
      headers[`X-Remote-Extra-${name}`] = values;
    const ca = identity.wrongCA ? '' : 'front-proxy-ca';
    return { headers, agent: agent({ commonName: identity.frontProxy }, ca) };
  }
  const request = { commonName: identity.user, organizations: identity.groups ?? [] };
  return { headers, agent: agent(request, identity.wrongCA ? '' : 'ca') };
}
