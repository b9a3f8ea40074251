import type { IncomingMessage } from 'node:http';
import { get } from 'node:https';
import { createSecureContext } from 'node:tls';
import { dialThroughProxy, environmentProxy, routedAgent } from '@annex/client';
import { type Dial, nodeHttp, requireFinalResponse, trustedCertificates } from '@annex/runtime';

/** A complete response of an issuer. */
export interface TextResponse {
  status: number;
  /** `200 OK` */
  statusLine: string;
  cacheControl: string;
  text: string;
}

/** Sends requests to one issuer and trusts the provided CAs; the system roots if there are none. */
export interface TextFetcher {
  /** Follows redirects; sends `token` only to the host of the URL. */
  get(url: string, token?: string): Promise<TextResponse>;
  close(): void;
}

/** Milliseconds in which an issuer has to respond, redirects and body included. Source: kube-apiserver. */
export const issuerTimeoutMs = 30_000;
/** Bytes of a response of an issuer: documents, keys and tokens. kube-apiserver has no limit; large issuers send 10 KiB. */
export const maxIssuerResponseBytes = 1024 * 1024;
/** Redirects that are followed. Source: Go's net/http. */
export const maxIssuerRedirects = 10;

/**
 * Creates a fetcher with a separate connection pool; `ca` is PEM. Without `dial`, connections are direct, or through the proxy
 * that the environment names.
 */
export function textFetcher(ca: string | undefined, dial?: Dial): TextFetcher {
  const tls = { secureContext: createSecureContext(trustedCertificates(ca)), rejectUnauthorized: true };
  const agent = routedAgent({ keepAlive: true, ...tls }, ({ host, port, proxy }) =>
    dial ? dial({ host, port }) : proxy && dialThroughProxy(proxy, { host, port }, tls),
  );
  const stop = new AbortController();
  const ask = (url: URL, token: string, signal: AbortSignal): Promise<IncomingMessage> => {
    const headers = {
      accept: 'application/json',
      'user-agent': 'annex',
      ...(token === '' ? {} : { authorization: `Bearer ${token}` }),
    };
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    const request =
      url.protocol === 'https:'
        ? get(url, { agent, headers, signal, ...(dial ? {} : { proxy: environmentProxy(url) }) }, resolve)
        : nodeHttp.get(url, { headers, signal }, resolve);
    requireFinalResponse(request);
    request.on('error', reject);
    return promise;
  };
  return {
    async get(first, token = '') {
      const signal = AbortSignal.any([stop.signal, AbortSignal.timeout(issuerTimeoutMs)]);
      const requested = new URL(first);
      for (let url = requested, redirects = 0; ;) {
        const response = await ask(url, url.host === requested.host ? token : '', signal);
        const next = redirectOf(response, url);
        if (next === undefined) return await textResponse(response);
        // The body may be endless.
        response.destroy();
        if (++redirects > maxIssuerRedirects - 1) {
          throw new Error(`stopped after ${maxIssuerRedirects} redirects`);
        }
        url = next;
      }
    },
    close() {
      stop.abort();
      agent.destroy();
    },
  };
}

/** Source: RFC 9110, section 15.4. */
const redirects = [301, 302, 303, 307, 308];

function redirectOf({ statusCode = 0, headers }: IncomingMessage, from: URL): URL | undefined {
  if (!redirects.includes(statusCode) || headers.location === undefined) return undefined;
  const next = URL.parse(headers.location, from.href);
  if (next?.protocol === 'https:' || (next?.protocol === 'http:' && from.protocol === 'http:')) return next;
  throw new Error(`a redirect to ${headers.location} is not followed`);
}

async function textResponse(response: IncomingMessage): Promise<TextResponse> {
  const { statusCode: status = 0, statusMessage = '' } = response;
  const cacheControl = response.headers['cache-control'] ?? '';
  return { status, statusLine: `${status} ${statusMessage}`, cacheControl, text: await readText(response) };
}

async function readText(message: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of message as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxIssuerResponseBytes) {
      throw new Error(`the response has more than ${maxIssuerResponseBytes} bytes`);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
