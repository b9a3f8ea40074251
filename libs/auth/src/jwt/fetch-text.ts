import type { IncomingMessage } from 'node:http';
import { Agent, get } from 'node:https';
import { nodeHttp } from '@annex/runtime';

/** A whole answer of an issuer. */
export interface TextAnswer {
  status: number;
  /** `200 OK` */
  statusLine: string;
  cacheControl: string;
  text: string;
}

/** Asks one issuer, trusting the authorities that are given; the roots of the system, where there are none. */
export interface TextFetcher {
  /** Follows redirects; `token` is shown to the host of the URL alone. */
  get(url: string, token?: string): Promise<TextAnswer>;
  close(): void;
}

/** Milliseconds in which an issuer has to respond, redirects and body included. Source: kube-apiserver. */
export const issuerTimeoutMs = 30_000;
/** Bytes of a response of an issuer: documents, keys and tokens. kube-apiserver has no limit; large issuers send 10 KiB. */
export const maxIssuerResponseBytes = 1024 * 1024;
/** Redirects that are followed. Source: Go's net/http. */
export const maxIssuerRedirects = 10;

/** Makes a fetcher with connections of its own; `ca` is PEM. */
export function textFetcher(ca: string | undefined): TextFetcher {
  const agent = new Agent({ keepAlive: true, ...(ca ? { ca } : {}) });
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
        ? get(url, { agent, headers, signal }, resolve)
        : nodeHttp.get(url, { headers, signal }, resolve);
    request.on('error', reject);
    return promise;
  };
  return {
    async get(first, token = '') {
      const signal = AbortSignal.any([stop.signal, AbortSignal.timeout(issuerTimeoutMs)]);
      const asked = new URL(first);
      for (let url = asked, redirects = 0; ;) {
        const answer = await ask(url, url.host === asked.host ? token : '', signal);
        const next = redirectOf(answer, url);
        if (next === undefined) return await textAnswer(answer);
        // Its body may have no end.
        answer.destroy();
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

async function textAnswer(answer: IncomingMessage): Promise<TextAnswer> {
  const { statusCode: status = 0, statusMessage = '' } = answer;
  const cacheControl = answer.headers['cache-control'] ?? '';
  return { status, statusLine: `${status} ${statusMessage}`, cacheControl, text: await readText(answer) };
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
