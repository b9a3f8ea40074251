import type { Buffer } from 'node:buffer';
import type { IncomingHttpHeaders } from 'node:http';

/** One request of an exchange with a webhook. */
export interface WebhookRequest {
  method: string;
  url: URL;
  /** The URL in error messages. */
  shown: string;
  body?: string;
}

/** A response, read completely. */
export interface Response {
  statusCode: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

/** The maximum number of requests of one call. Source: Go's client, which follows that many redirects. */
export const maxWebhookRequests = 10;

const redirectCodes = new Set([301, 302, 303, 307, 308]);

/** Returns the location that a response redirects to; `undefined` without a redirect. */
export const redirection = ({ statusCode, headers }: Response): string | undefined =>
  (redirectCodes.has(statusCode) && headers.location) || undefined;

/** Returns the redirected request; as in Go, only 307 and 308 send the body again. */
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
