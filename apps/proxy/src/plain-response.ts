import type { OutgoingHttpHeaders } from 'node:http';

/** A short response of the proxy itself. */
export interface PlainResponse {
  status: number;
  /** The text of the status line, if it is not that of the status. */
  statusText?: string;
  headers: OutgoingHttpHeaders;
  body: string;
}

/** A text with a line break, as Go's `http.Error` writes it. */
export const plainResponse = (status: number, text: string): PlainResponse => ({
  status,
  headers: { 'Content-Type': 'text/plain; charset=utf-8', 'X-Content-Type-Options': 'nosniff' },
  body: `${text}\n`,
});

export const forbidden = plainResponse(403, 'Forbidden');
export const notFound = plainResponse(404, '404 page not found');
/** Go's server writes it without a line break. */
export const badRequest: PlainResponse = { ...plainResponse(400, ''), body: '400 Bad Request' };

/** The response to a request that Go's server refuses, by its status such as `400 Bad Request: malformed Host header`. */
export const refusedRequest = (status: string): PlainResponse => ({
  status: Number(status.slice(0, 3)),
  statusText: status.slice('400 '.length),
  headers: { 'Content-Type': 'text/plain; charset=utf-8', Connection: 'close' },
  body: status,
});

/** A permanent redirect. Only the responses to GET and HEAD have a type, and that to GET a body. */
export const redirect = (location: string, method: string): PlainResponse => ({
  status: 301,
  headers: {
    Location: location,
    ...(method === 'GET' || method === 'HEAD' ? { 'Content-Type': 'text/html; charset=utf-8' } : {}),
  },
  body: method === 'GET' ? `<a href="${escapeHtml(location)}">Moved Permanently</a>.\n\n` : '',
});

const entities = new Map([
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
  ['"', '&#34;'],
  ["'", '&#39;'],
]);

/** Escapes text for HTML, with the entities of Go. */
export const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => entities.get(character) ?? '');
