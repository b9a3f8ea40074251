import { once } from 'node:events';
import type { RequestListener, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { listenError, type Metrics, nodeHttp } from '@annex/runtime';

type Page = (isVerbose: boolean) => Promise<readonly [status: number, type: string, body: string]>;

const plain = 'text/plain; charset=utf-8';

/** Returns the pages of the health port. */
export function healthPages(metrics: Metrics, isConnected: () => boolean): ReadonlyMap<string, Page> {
  const ready: Page = async (isVerbose) => {
    if (!isConnected()) return [503, plain, '[+]ping ok\n[-]server-connected failed: no servers connected\n'];
    return [200, plain, isVerbose ? '[+]ping ok\n[+]server-connected ok\ncheck passed\n' : 'ok'];
  };
  return new Map<string, Page>([
    ['/healthz', async () => [200, plain, 'ok']],
    ['/readyz', ready],
    ['/ready', ready],
    ['/metrics', async () => [200, metrics.contentType, await metrics.render()]],
  ]);
}

/** Serves pages over HTTP/1.1 on one port. */
export class Monitor {
  readonly #server: Server;
  readonly #host: string;
  readonly #port: number;
  address = '';

  constructor(pages: ReadonlyMap<string, Page>, host: string, port: number) {
    this.#host = host;
    this.#port = port;
    const listener: RequestListener = (request, response) => {
      const [path = '', query = ''] = (request.url ?? '').split('?');
      const isVerbose = new URLSearchParams(query).has('verbose');
      const found =
        pages.get(path)?.(isVerbose) ?? Promise.resolve([404, plain, '404 page not found\n'] as const);
      found.then(
        ([status, type, body]) => response.writeHead(status, { 'content-type': type }).end(body),
        () => response.writeHead(500).end(),
      );
    };
    this.#server = nodeHttp.createServer({ requestTimeout: 10_000 }, listener);
  }

  /** Throws OperatorError. */
  async start(): Promise<void> {
    try {
      await once(this.#server.listen(this.#port, this.#host), 'listening');
    } catch (cause) {
      throw listenError(cause as NodeJS.ErrnoException, this.#host, this.#port);
    }
    const { address, family, port } = this.#server.address() as AddressInfo;
    this.address = `${family === 'IPv6' ? `[${address}]` : address}:${port}`;
    this.#server.on('error', () => undefined);
  }

  async stop(): Promise<void> {
    if (!this.#server.listening) return;
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
