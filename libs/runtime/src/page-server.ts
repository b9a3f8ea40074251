import { Buffer } from 'node:buffer';
import type { Server, ServerResponse } from 'node:http';
import { cleanPath } from './clean-path.ts';
import type { Metrics } from './metrics.ts';
import { nodeHttp } from './node-http.ts';

/** Returns the response of a path. `isVerbose`: the query contains `verbose`. */
export type Page = (
  isVerbose: boolean,
) => Promise<readonly [status: number, contentType: string, body: string]>;

/** Pages by their paths. */
export type Pages = ReadonlyMap<string, Page>;

/** The content type of plain pages. */
export const plainText = 'text/plain; charset=utf-8';

/** Milliseconds for the head of a request. */
const requestTimeout = 10_000;

/** Creates a server of pages over HTTP/1.1 without TLS, which does not listen yet. Other paths are 404, failed pages 500; paths that are not clean are redirected, as in Go. */
export function createPageServer(pages: Pages): Server {
  return nodeHttp.createServer({ requestTimeout }, (request, response) => {
    const [encoded = '', query = ''] = (request.url ?? '').split('?');
    const path = decoded(encoded);
    if (path === undefined) return void send(response, [400, plainText, '400 Bad Request']);
    const clean = cleanPath(path);
    if (path.startsWith('/') && clean !== path)
      return redirect(response, encodeURI(clean) + search(query), request.method ?? '');
    const page = pages.get(path) ?? missing;
    page(new URLSearchParams(query).has('verbose')).then(
      (result) => send(response, result, page === missing ? asFromGo : {}),
      () => response.writeHead(500).end(),
    );
  });
}

function send(
  response: ServerResponse,
  [status, type, body]: Awaited<ReturnType<Page>>,
  headers: Readonly<Record<string, string>> = {},
): void {
  const length = Buffer.byteLength(body);
  response.writeHead(status, { 'content-type': type, 'content-length': length, ...headers }).end(body);
}

/** Go describes a redirection to those that read. */
function redirect(response: ServerResponse, location: string, method: string): void {
  if (method !== 'GET' && method !== 'HEAD') return void response.writeHead(307, { location }).end();
  send(
    response,
    [307, 'text/html; charset=utf-8', `<a href="${escapeHtml(location)}">Temporary Redirect</a>.\n\n`],
    {
      location,
    },
  );
}

const escapeHtml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&#34;');

function decoded(path: string): string | undefined {
  try {
    return decodeURIComponent(path);
  } catch {
    return undefined;
  }
}

const search = (query: string): string => (query === '' ? '' : `?${query}`);

/** Go sends it with its plain errors. */
const asFromGo = { 'x-content-type-options': 'nosniff' };

const missing: Page = async () => [404, plainText, '404 page not found\n'];

/** The pages of a health port: `/healthz`, `/readyz` and its alias `/ready`, and `/metrics`. */
export const healthPages = (metrics: Metrics, ready: Page): Pages =>
  new Map<string, Page>([
    ['/healthz', async () => [200, plainText, 'ok']],
    ['/readyz', ready],
    ['/ready', ready],
    ['/metrics', async () => [200, metrics.contentType, await metrics.render()]],
  ]);
