import type { Server } from 'node:http';
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
    const [path = '', query = ''] = (request.url ?? '').split('?');
    const clean = cleanPath(path);
    if (path.startsWith('/') && clean !== path)
      return void response.writeHead(307, { location: clean + search(query) }).end();
    const page = pages.get(path) ?? missing;
    page(new URLSearchParams(query).has('verbose')).then(
      ([status, type, body]) =>
        response.writeHead(status, { 'content-type': type, ...(page === missing && asFromGo) }).end(body),
      () => response.writeHead(500).end(),
    );
  });
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
