import type { Buffer } from 'node:buffer';
import type { IncomingHttpHeaders } from 'node:http';

/** One request of an exchange with a webhook. */
export interface WebhookRequest {
  method: string;
  url: URL;
  /** The URL as errors show it. */
  shown: string;
  body?: string;
}

/** What came back, read to its end. */
export interface Response {
  statusCode: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

/** Go's client follows redirects until it has sent so many requests. */
export const maxWebhookRequests = 10;

const redirectCodes = new Set([301, 302, 303, 307, 308]);

/** Where an answer redirects to; `undefined` where it does not. */
export const redirection = ({ statusCode, headers }: Response): string | undefined =>
  (redirectCodes.has(statusCode) && headers.location) || undefined;

/** The request that an answer redirects to; as in Go, only 307 and 308 send the document again. */
export function redirected({ url, body }: WebhookRequest, location: string, code: number): WebhookRequest {
  if (!URL.canParse(location, url.href)) {
    throw new Error(`failed to parse Location header ${JSON.stringify(location)}`);
  }
  const to = new URL(location, url);
  if (to.protocol !== 'https:' && to.protocol !== 'http:') {
    throw new Error(`unsupported protocol scheme ${JSON.stringify(to.protocol.slice(0, -1))}`);
  }
  to.hash = '';
  const repeats = (code === 307 || code === 308) && body !== undefined;
  return { url: to, shown: to.href, ...(repeats ? { method: 'POST', body } : { method: 'GET' }) };
}
