import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { type ConnectionLimiter, type CountedConnection } from '@annex/runtime';

/** Time in which a client has to make its first call, in milliseconds; the handshake of TLS is a part of it. */
export const firstCallMs = 30_000;

/** Accepts connections within limits, and gives them to gRPC. A connection without a call is closed for others, and after a while. */
export class LimitedListener {
  readonly #server: Server;
  readonly #limiter: ConnectionLimiter;
  /** The connections without a call, by the client's address and port. */
  readonly #silent = new Map<string, CountedConnection>();

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
    // A process without free file descriptors accepts no connection, and goes on with those that it has.
    this.#server.on('error', () => undefined);
    return (this.#server.address() as AddressInfo).port;
  }

  /** A client, as gRPC names it, made a call. */
  called(peer: string): void {
    if (this.#silent.size === 0) return;
    this.#silent.get(peer)?.authenticated();
    this.#silent.delete(peer);
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
    this.#silent.set(peer, counted);
    socket.once('close', () => {
      clearTimeout(timer);
      if (this.#silent.get(peer) === counted) this.#silent.delete(peer);
    });
    return true;
  }
}
