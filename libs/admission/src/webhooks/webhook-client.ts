import type { IncomingMessage } from 'node:http';
import { type Agent, request as requestSecurely } from 'node:https';
import { isIP } from 'node:net';
import { posix } from 'node:path';
import { createSecureContext } from 'node:tls';
import { createGunzip } from 'node:zlib';
import {
  type Credentials,
  credentialHeaders,
  dialThroughProxy,
  environmentProxy,
  routedAgent,
} from '@annex/client';
import {
  type Dial,
  type EgressSelector,
  nodeHttp,
  requireFinalResponse,
  trustedCertificates,
} from '@annex/runtime';
import { dialErrorText } from '@annex/http';
import { ResponseError, responseError } from './response-error.ts';
import {
  type Response,
  maxWebhookRequests,
  redirected,
  redirection,
  type WebhookRequest,
} from './redirects.ts';

/** The address of a webhook: a `clientConfig` of the API. */
export interface WebhookClientConfig {
  url?: string;
  service?: { namespace: string; name: string; path?: string; port?: number };
  /** PEM in base64. */
  caBundle?: string;
}

/**
 * Finds an address of a service. Throws if there is none, with `reason: 'ServiceNotFound'` for an unknown
 * service.
 */
export type ResolveService = (service: {
  namespace: string;
  name: string;
  port: number;
}) => Place | Promise<Place>;

interface Place {
  host: string;
  port: number;
}

/**
 * Bytes of a webhook's response, decompressed. kube-apiserver has no limit; a patch in base64 that replaces
 * an object of 3 MiB, and a converted object, take half of it.
 */
export const maxWebhookResponseBytes = 8 * 1024 * 1024;

interface Target {
  url: URL;
  /** The host and port in error messages. */
  host: string;
  address(): Place | Promise<Place>;
}

/** The CA bundle of a webhook cannot be parsed. */
export class BundleError extends Error {}

/**
 * Posts JSON to one webhook over TLS. Verifies the server by the webhook's CA bundle, or by the system root
 * certificates.
 */
export class WebhookClient {
  readonly #target: Target;
  readonly #agent: Agent;
  readonly #bundle: string;
  readonly #credentials: Credentials;
  readonly #dial: Dial | undefined;

  /** Without credentials, the client sends no authentication. Without an egress selector, the environment may name a proxy. */
  constructor(
    config: WebhookClientConfig,
    resolve: ResolveService,
    credentials: Credentials = {},
    egress?: EgressSelector,
  ) {
    this.#target = targetOf(config, resolve);
    this.#credentials = credentials;
    this.#bundle = Buffer.from(config.caBundle ?? '', 'base64').toString();
    const trusted = trustedCertificates(hasCertificate(this.#bundle) ? this.#bundle : undefined);
    const { cert, key } = credentials;
    const own = cert !== undefined && key !== undefined ? { cert, key } : {};
    const dial = egress?.dialerFor(config.url === undefined ? 'cluster' : 'controlplane');
    this.#dial = dial;
    const tls = { secureContext: createSecureContext({ ...trusted, ...own }), rejectUnauthorized: true };
    this.#agent = routedAgent({ keepAlive: true, maxSockets: 64, ...tls }, ({ host, port, proxy }) =>
      dial ? dial({ host, port }) : proxy && dialThroughProxy(proxy, { host, port }, tls),
    );
  }

  /**
   * Posts a document and returns the body of the response. The query contains the timeout in seconds. Throws
   * the messages of Go's client.
   */
  async post(body: string, timeoutMs = 30_000): Promise<string> {
    if (this.#bundle !== '' && !hasCertificate(this.#bundle)) {
      throw new BundleError('unable to load root certificates: unable to parse bytes as PEM block');
    }
    const { url, host } = this.#target;
    const path = `${url.pathname}?timeout=${Math.ceil(timeoutMs / 1000)}s`;
    const first = { method: 'POST', url: new URL(path, url), shown: `https://${host}${path}`, body };
    return await this.#exchange(first, AbortSignal.timeout(timeoutMs));
  }

  /** Closes idle connections immediately, and others when their request ends. */
  close(): void {
    this.#agent.maxFreeSockets = 0;
    for (const sockets of Object.values(this.#agent.freeSockets)) {
      for (const socket of sockets ?? []) socket.destroy();
    }
  }

  /** Sends a request and follows redirects. */
  async #exchange(first: WebhookRequest, signal: AbortSignal): Promise<string> {
    let request = first;
    try {
      for (let sent = 1; ; sent++) {
        const response = await this.#send(request, signal);
        const location = redirection(response);
        if (location === undefined) return readResponse(response);
        if (sent === maxWebhookRequests) {
          request = { ...request, shown: location };
          throw new Error(`stopped after ${maxWebhookRequests} redirects`);
        }
        request = redirected(request, location, response.statusCode);
      }
    } catch (error) {
      if (error instanceof ResponseError) throw error;
      throw new Error(`Post ${JSON.stringify(request.shown)}: ${describe(error, request.url)}`, {
        cause: error,
      });
    }
  }

  async #send(requested: WebhookRequest, signal: AbortSignal): Promise<Response> {
    const proxy = this.#dial ? undefined : environmentProxy(requested.url);
    const place = await (proxy ? urlPlace(requested.url) : this.#placeOf(requested.url));
    const { promise, resolve, reject } = Promise.withResolvers<Response>();
    const sent = this.#begin(requested, { ...place, proxy }, signal, (response) =>
      readWhole(response).then(resolve, reject),
    );
    requireFinalResponse(sent);
    sent.on('error', (error: NodeJS.ErrnoException) => {
      // The server may have closed an idle connection concurrently: it did not read the request.
      if (sent.reusedSocket && error.code === 'ECONNRESET')
        this.#send(requested, signal).then(resolve, reject);
      else reject(error);
    });
    sent.end(requested.body);
    return await promise;
  }

  #placeOf(url: URL): Place | Promise<Place> {
    if (url.host === this.#target.url.host) return this.#target.address();
    return urlPlace(url);
  }

  #begin(
    { method, url, body }: WebhookRequest,
    place: Place & { proxy: URL | undefined },
    signal: AbortSignal,
    onResponse: (response: IncomingMessage) => void,
  ) {
    const { host: named, url: target } = this.#target;
    const isTarget = url.host === target.host;
    const host = bareAddress(url.hostname);
    const options = {
      ...place,
      path: url.pathname + url.search,
      method,
      signal,
      headers: {
        host: isTarget ? named : url.host,
        accept: 'application/json, */*',
        'accept-encoding': 'gzip',
        'user-agent': 'kube-apiserver-admission',
        ...(isTarget ? credentialHeaders(this.#credentials) : {}),
        ...(body === undefined
          ? {}
          : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
      },
    };
    if (url.protocol === 'http:') return nodeHttp.request(options, onResponse);
    // An IP address is not sent as server name; it is verified as the host.
    const servername = isIP(host) ? {} : { servername: url.hostname };
    return requestSecurely({ ...options, ...servername, agent: this.#agent }, onResponse);
  }
}

function readResponse({ statusCode, headers, body }: Response): string {
  const failed = responseError(statusCode, headers['content-type'], body);
  if (failed !== undefined) throw failed;
  return body.toString();
}

async function readWhole(response: IncomingMessage): Promise<Response> {
  const chunks: Buffer[] = [];
  let size = 0;
  const stream = response.headers['content-encoding'] === 'gzip' ? response.pipe(createGunzip()) : response;
  response.on('error', (error) => stream.destroy(error));
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > maxWebhookResponseBytes) {
        throw new Error(`the response is larger than ${maxWebhookResponseBytes} bytes`);
      }
      chunks.push(chunk);
    }
  } finally {
    // Leaving the loop destroys only the decompressor of a compressed response.
    if (!response.complete) response.destroy();
  }
  return { statusCode: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) };
}

function describe(error: unknown, { hostname, port }: URL): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === 'TimeoutError' || error.name === 'AbortError') return 'context deadline exceeded';
  const host = bareAddress(hostname);
  return dialErrorText(error, { host, port: Number(port || 443) }, host);
}

const hasCertificate = (bundle: string): boolean => bundle.includes('-----BEGIN CERTIFICATE-----');

/** URLs contain IPv6 addresses in brackets. */
const bareAddress = (hostname: string): string => hostname.replace(/^\[(.*)\]$/, '$1');

const urlPlace = (url: URL): Place => ({
  host: bareAddress(url.hostname),
  port: Number(url.port || (url.protocol === 'http:' ? 80 : 443)),
});

function targetOf(config: WebhookClientConfig, resolve: ResolveService): Target {
  if (config.url !== undefined) {
    const url = cleaned(new URL(config.url));
    const host = bareAddress(url.hostname);
    return { url, host: url.host, address: () => ({ host, port: Number(url.port || 443) }) };
  }
  const { namespace = '', name = '', path = '/', port = 443 } = config.service ?? {};
  const named = `${name}.${namespace}.svc:${port}`;
  const url = cleaned(new URL(path, `https://${named}`));
  const address = async (): Promise<Place> => {
    try {
      return await resolve({ namespace, name, port });
    } catch (error) {
      const { reason } = error as { reason?: string };
      throw reason === 'ServiceNotFound' ? new Error(`service ${JSON.stringify(name)} not found`) : error;
    }
  };
  return { url, host: named, address };
}

/** Go's client removes empty path segments and a trailing slash. */
function cleaned(url: URL): URL {
  url.pathname = posix.join('/', url.pathname).replace(/(.)\/$/, '$1');
  return url;
}
