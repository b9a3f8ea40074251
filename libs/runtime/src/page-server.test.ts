import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { expect, it, onTestFinished } from 'vitest';
import { listen } from './listen.ts';
import { createMetrics } from './metrics.ts';
import { createPageServer, healthPages, type Page, plainText } from './page-server.ts';

async function served(ready: Page): Promise<(path: string) => Promise<string>> {
  const metrics = createMetrics();
  metrics.counter('requests_total', 'Requests.', []).inc({});
  const server = createPageServer(
    new Map([
      ...healthPages(metrics, ready),
      ['/broken', () => Promise.reject(new Error('broken'))] as const,
    ]),
  );
  const { address, end } = await listen(server, { host: '127.0.0.1', port: 0 });
  onTestFinished(end);
  return async (path) => {
    const response = await fetch(`http://${address}${path}`);
    return `${response.status} ${await response.text()}`.trim();
  };
}

it.each([
  ['/healthz', '200 ok'],
  ['/readyz', '503 not yet'],
  ['/ready', '503 not yet'],
  ['/readyz?verbose', '503 [-]server not yet'],
  ['/missing', '404 404 page not found'],
  ['/%68ealthz', '200 ok'],
  ['/%zz', '400 400 Bad Request'],
  ['/broken', '500'],
])('%s: %s', async (path, expected) => {
  const get = await served(async (isVerbose) => [
    503,
    plainText,
    isVerbose ? '[-]server not yet' : 'not yet',
  ]);
  expect(await get(path)).toBe(expected);
});

it.each([
  ['//healthz', '/healthz'],
  ['//a/./../healthz?verbose', '/healthz?verbose'],
])('%s is redirected', async (path, location) => {
  const server = createPageServer(new Map());
  const { address, end } = await listen(server, { host: '127.0.0.1', port: 0 });
  onTestFinished(end);
  const [host, port] = address.split(':');
  const [response] = (await once(get({ host, port, path }), 'response')) as [IncomingMessage];
  response.resume();
  expect([response.statusCode, response.headers.location]).toEqual([307, location]);
});

it('the metrics are those of the process', async () => {
  const get = await served(async () => [200, plainText, 'ok']);
  expect(await get('/metrics')).toContain('requests_total 1');
});
