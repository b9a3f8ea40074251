import { Buffer } from 'node:buffer';
import type { OutgoingHttpHeaders } from 'node:http';
import { parseJson, stringifyJson } from '@annex/machinery';
import { isLargeText, parseLargeText } from './large-json.ts';
import type { ClientConfig } from './config.ts';
import { RequestEnd } from './request-end.ts';
import { responseError } from './response-error.ts';
import { type ClientResponse, maxResponseBytes, readWhole } from './client-response.ts';
import type { ClientMessage, Connections } from './connections.ts';
import { createConnections } from './create-connections.ts';
import { type WatchEvent, type WatchOptions, readEvents } from './watch.ts';

/** A request to an API server. */
export interface ClientRequest {
  /** Default `GET`. */
  method?: string;
  /** Path and query, from the root of the server. */
  path: string;
  /** Headers that replace those of the client. */
  headers?: OutgoingHttpHeaders;
  /** Strings and bytes are sent unchanged, other values as JSON. */
  body?: unknown;
  /** Aborts the request with an error. */
  signal?: AbortSignal;
  /** Fails the request if the response is not complete in time. Default: none. */
  timeoutMs?: number;
  /** Bytes of the largest response. Default 64 MiB. */
  maxBytes?: number;
}

/** A client of one API server with a pool of connections. */
export class Client {
  /** The namespace of the configuration; default: `default`. */
  readonly namespace: string;
  readonly #config: ClientConfig;
  readonly #connections: Connections;
  readonly #base: string;

  constructor(config: ClientConfig) {
    this.#config = config;
    this.namespace = config.namespace ?? 'default';
    const url = new URL(config.server);
    this.#base = url.pathname.replace(/\/$/, '');
    this.#connections = createConnections(config, url);
  }

  /** Sends a request and resolves when the response head is received. The body must be read or destroyed. */
  open(request: ClientRequest): Promise<ClientMessage> {
    const { method = 'GET', path, signal } = request;
    const body = encodeBody(request.body);
    return this.#connections.open({
      method,
      path: absolute(this.#base + path),
      headers: {
        accept: 'application/json',
        ...(body === undefined ? {} : { 'content-type': 'application/json', 'content-length': body.length }),
        ...this.#identity(),
        ...request.headers,
      },
      body,
      signal,
    });
  }

  /** Sends a request and reads the whole response. Rejects only if there is none. */
  async send(request: ClientRequest): Promise<ClientResponse> {
    const { timeoutMs, signal } = request;
    using end = timeoutMs ? new RequestEnd(timeoutMs, signal) : undefined;
    const message = await this.open(end ? { ...request, signal: end.signal } : request);
    const body = await readWhole(message, request.maxBytes ?? maxResponseBytes);
    return { status: message.statusCode ?? 0, headers: message.headers, body };
  }

  /** Sends a request and decodes the JSON response. Throws StatusError for every response that is not 2xx. */
  async json<T>(request: ClientRequest): Promise<T> {
    const response = await this.send(request);
    if (response.status < 200 || response.status > 299) throw responseError(response, request.method);
    const text = response.body.toString();
    return (isLargeText(text) ? await parseLargeText(text) : parseJson(text)) as T;
  }

  /**
   * Watches a collection: its path, optionally with selectors in the query. Ends when the server ends it or
   * the signal aborts. Throws StatusError if the server refuses the watch or ends it with an error.
   */
  async *watch<T>(path: string, options: WatchOptions = {}): AsyncGenerator<WatchEvent<T>> {
    const { signal, maxLineBytes, accept, ...query } = options;
    const url = new URL(path, 'https://server');
    url.searchParams.set('watch', '1');
    for (const [key, value] of Object.entries(query)) url.searchParams.set(key, String(value));
    const message = await this.open({
      path: url.pathname + url.search,
      ...(accept ? { headers: { accept } } : {}),
      ...(signal ? { signal } : {}),
    });
    if (message.statusCode !== 200) {
      const body = await readWhole(message, maxResponseBytes);
      throw responseError({ status: message.statusCode ?? 0, headers: message.headers, body });
    }
    yield* readEvents<T>(message, maxLineBytes, signal);
  }

  /** Closes all connections. */
  close(): void {
    this.#connections.close();
  }

  #identity(): OutgoingHttpHeaders {
    const { userAgent } = this.#config;
    return { 'user-agent': userAgent ?? 'annex-client', ...credentialHeaders(this.#config) };
  }
}

/** Returns the headers with the credentials. */
export function credentialHeaders({
  token,
  username,
  password,
  impersonate,
}: Pick<ClientConfig, 'token' | 'username' | 'password' | 'impersonate'>): OutgoingHttpHeaders {
  const bearer = typeof token === 'function' ? token() : token;
  const basic =
    username === undefined ? undefined : Buffer.from(`${username}:${password ?? ''}`).toString('base64');
  return {
    ...(basic ? { authorization: `Basic ${basic}` } : {}),
    ...(bearer ? { authorization: `Bearer ${bearer}` } : {}),
    ...(impersonate ? impersonationHeaders(impersonate) : {}),
  };
}

function impersonationHeaders(as: NonNullable<ClientConfig['impersonate']>): OutgoingHttpHeaders {
  const extra = Object.entries(as.extra ?? {}).map(([key, values]) => [
    `impersonate-extra-${encodeURIComponent(key)}`,
    [...values],
  ]);
  return {
    'impersonate-user': as.user,
    ...(as.uid ? { 'impersonate-uid': as.uid } : {}),
    ...(as.groups?.length ? { 'impersonate-group': [...as.groups] } : {}),
    ...(Object.fromEntries(extra) as OutgoingHttpHeaders),
  };
}

function encodeBody(body: unknown): Buffer | undefined {
  if (body === undefined) return undefined;
  if (typeof body === 'string') return Buffer.from(body);
  return body instanceof Uint8Array ? Buffer.from(body) : Buffer.from(stringifyJson(body));
}

/** A bare query belongs to the root. */
const absolute = (path: string): string => (path.startsWith('/') ? path : `/${path}`);
