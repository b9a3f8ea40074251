import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import {
  ConnectionLimiter,
  type ConnectionLimits,
  createPageServer,
  hostOf,
  type Metrics,
  type Page,
  type Pages,
} from '@annex/runtime';
import { etcdVersion, type Store } from '@annex/storage';

/** Maximum number of requests on one connection, including pipelined ones; then it is closed. */
export const maxRequestsPerConnection = 100;

/** Serves /health and /version as etcd does, and /metrics, over HTTP/1.1 without TLS. */
export class HealthServer {
  readonly #pages: Pages;
  readonly #limiter: ConnectionLimiter;
  /** Serves connections that another listener accepted. */
  readonly #accepted: Server;
  readonly #listening: Server[] = [];

  constructor(store: Store, metrics: Metrics, limits: ConnectionLimits) {
    this.#limiter = new ConnectionLimiter(limits);
    this.#pages = new Map<string, Page>([
      ['/health', () => health(store)],
      [
        '/version',
        async () => [200, json, JSON.stringify({ etcdserver: etcdVersion, etcdcluster: etcdVersion })],
      ],
      ['/metrics', async () => [200, metrics.contentType, await metrics.render()]],
    ]);
    this.#accepted = this.#createServer();
  }

  /** Serves a connection that another listener accepted and limits. */
  serve(socket: Socket): void {
    this.#accepted.emit('connection', socket);
  }

  /** Resolves to the URL with its port. */
  async listen(url: string): Promise<string> {
    const parsed = new URL(url);
    const server = this.#createServer();
    server.on('connection', (socket) => void this.#limiter.accept(socket));
    server.listen(Number(parsed.port || 80), hostOf(parsed));
    await once(server, 'listening');
    this.#listening.push(server);
    // A process without free file descriptors accepts no connections, and continues with existing ones.
    server.on('error', () => undefined);
    return `http://${parsed.hostname}:${(server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    for (const server of [this.#accepted, ...this.#listening]) server.closeAllConnections();
    await Promise.all(this.#listening.map((server) => new Promise((resolve) => server.close(resolve))));
  }

  #createServer(): Server {
    const server = createPageServer(this.#pages);
    server.maxRequestsPerSocket = maxRequestsPerConnection;
    return server;
  }
}

const json = 'application/json';

async function health(store: Store): Promise<[number, string, string]> {
  try {
    await store.currentRevision();
    return [200, json, '{"health":"true","reason":""}'];
  } catch (error) {
    return [503, json, JSON.stringify({ health: 'false', reason: (error as Error).message })];
  }
}
