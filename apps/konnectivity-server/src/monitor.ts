import type { RequestListener, Server } from 'node:http';
import { type Metrics, nodeHttp } from '@annex/runtime';

/** The text of a path: status and body. */
export type Page = () => Promise<readonly [status: number, type: string, body: string]>;

const plain = 'text/plain; charset=utf-8';

/** Returns the pages of the health port. `notReady` is the reason why the server is not ready. */
export function healthPages(metrics: Metrics, notReady: () => string | undefined): ReadonlyMap<string, Page> {
  const ready: Page = async () => {
    const reason = notReady();
    return reason === undefined ? [200, plain, 'ok'] : [500, plain, reason];
  };
  return new Map<string, Page>([
    ['/healthz', async () => [200, plain, 'ok']],
    ['/readyz', ready],
    ['/ready', ready],
    ['/metrics', async () => [200, metrics.contentType, await metrics.render()]],
  ]);
}

/** Serves pages over HTTP/1.1. */
export function createMonitor(pages: ReadonlyMap<string, Page>): Server {
  const listener: RequestListener = (request, response) => {
    const page = pages.get((request.url ?? '').split('?')[0]!);
    const found = page?.() ?? Promise.resolve([404, plain, '404 page not found\n'] as const);
    found.then(
      ([status, type, body]) => response.writeHead(status, { 'content-type': type }).end(body),
      () => response.writeHead(500).end(),
    );
  };
  return nodeHttp.createServer({ requestTimeout: 10_000 }, listener);
}
