import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { type ConnectionLimiter, type CountedConnection } from '@annex/runtime';

/** Milliseconds within which a client must send its first call, including the TLS handshake. */
export const firstCallMs = 30_000;

/**
 * Accepts connections within limits, and passes them to gRPC. A connection without a call is closed in favor
 * of others, or after a timeout.
 */
export class LimitedListener {
  readonly #server: Server;
  readonly #limiter: ConnectionLimiter;
  /** The connections without a call, by the client's address and port. */
  readonly #idle = new Map<string, CountedConnection>();

  constructor(limiter: ConnectionLimiter, give: (socket: Socket) => void) {
    this.#limiter = limiter;
    this.#server = createServer({ noDelay: true, keepAlive: true }, (socket) => {
      if (this.#accept(socket)) give(socket);
    });
  }

  /** Resolves to the port. */
  async listen(host: string, port: number): Promise<number> {
    this.#server.listen(port, host);
    await once(this.#server, 'listening');
    // A process without free file descriptors accepts no connection, and continues with the existing ones.
    this.#server.on('error', () => undefined);
    return (this.#server.address() as AddressInfo).port;
  }

  /** Records that a client, by its gRPC peer name, sent a call. */
  called(peer: string): void {
    if (this.#idle.size === 0) return;
    this.#idle.get(peer)?.authenticated();
    this.#idle.delete(peer);
  }

  close(): void {
    this.#server.close();
  }

  #accept(socket: Socket): boolean {
    const counted = this.#limiter.accept(socket);
    if (counted === undefined) return false;
    const peer = `${socket.remoteAddress}:${socket.remotePort}`;
    const timer = setTimeout(() => {
      if (!counted.isAuthenticated) socket.destroy();
    }, firstCallMs).unref();
    this.#idle.set(peer, counted);
    socket.once('close', () => {
      clearTimeout(timer);
      if (this.#idle.get(peer) === counted) this.#idle.delete(peer);
    });
    return true;
  }
}
