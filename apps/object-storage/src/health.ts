import { tableOf } from '@annex/machinery';
import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ConnectionLimiter, type ConnectionLimits, type Metrics, nodeHttp } from '@annex/runtime';
import type { Store } from '@annex/storage';

/** Maximum number of requests on one connection, including pipelined ones; then it is closed. */
export const maxRequestsPerConnection = 100;

/** Serves /health as etcd does, and /metrics, over plain HTTP. */
export class HealthServer {
  readonly #server: Server;
  readonly #url: URL;

  constructor(url: string, store: Store, metrics: Metrics, limits: ConnectionLimits) {
    this.#url = new URL(url);
    const responses = tableOf<() => Promise<[code: number, type: string, body: string]>>({
      '/health': () => health(store),
      '/metrics': async () => [200, metrics.contentType, await metrics.render()],
    });
    this.#server = nodeHttp.createServer({ requestTimeout: 10_000 }, (request, response) => {
      const reply = responses.get((request.url ?? '').split('?')[0]!);
      const found = reply?.() ?? Promise.resolve([404, 'text/plain', '404 page not found\n'] as const);
      found.then(
        ([code, type, body]) => response.writeHead(code, { 'content-type': type }).end(body),
        () => response.writeHead(500).end(),
      );
    });
    this.#server.maxRequestsPerSocket = maxRequestsPerConnection;
    const limiter = new ConnectionLimiter(limits);
    this.#server.on('connection', (socket) => void limiter.accept(socket));
  }

  async start(): Promise<string> {
    this.#server.listen(Number(this.#url.port || 80), this.#url.hostname.replace(/^\[|\]$/g, ''));
    await once(this.#server, 'listening');
    // A process without free file descriptors accepts no connections, and continues with existing ones.
    this.#server.on('error', () => undefined);
    return `http://${this.#url.hostname}:${(this.#server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    if (this.#server.listening) await new Promise((resolve) => this.#server.close(resolve));
  }
}

async function health(store: Store): Promise<[number, string, string]> {
  const type = 'application/json';
  try {
    await store.currentRevision();
    return [200, type, '{"health":"true","reason":""}'];
  } catch (error) {
    return [503, type, JSON.stringify({ health: 'false', reason: (error as Error).message })];
  }
}
