import type { Socket } from 'node:net';
import type { ConnectionOptions } from 'node:tls';
import type { Dial } from '@annex/runtime';
import { dialedStream } from '../exchange/dialed-stream.ts';
import { type Endpoint, hostPort } from '../exchange/endpoint.ts';
import { Http1Connection } from './connection.ts';

// Much shorter than the idle timeout of backends: a request with a body could be lost on a connection that
// closes, since its outcome is unknown.
const idleMs = 30_000;
const sweepMs = 5_000;
/** Idle connections to one address of a backend. */
export const maxIdleConnections = 64;

/** The HTTP/1.1 connection pool of one backend. */
export class Http1Pool {
  readonly #tls: ConnectionOptions;
  readonly #dial: Dial | undefined;
  readonly #open = new Set<Http1Connection>();
  /** By `host:port`; the most recently used one is taken first. */
  readonly #idle = new Map<string, Http1Connection[]>();
  #sweep: NodeJS.Timeout | undefined;
  #retired = false;

  /** Without `dial`, connections are direct. */
  constructor(tls: ConnectionOptions, dial?: Dial) {
    this.#tls = tls;
    this.#dial = dial;
  }

  /** Returns an idle connection, or a new one. */
  take(endpoint: Endpoint): Http1Connection {
    const idle = this.#idle.get(hostPort(endpoint));
    for (let last = idle?.pop(); last !== undefined; last = idle?.pop())
      if (!last.socket.destroyed) return last;
    return this.open(endpoint);
  }

  /** Returns a new connection. */
  open(endpoint: Endpoint): Http1Connection {
    const connection = new Http1Connection(
      endpoint,
      { ...this.#tls, ...this.#dialed(endpoint) },
      {
        idle: (idle) => this.#keep(idle),
        closed: (closed) => this.#forget(closed),
      },
    );
    this.#open.add(connection);
    return connection;
  }

  /** Closes idle connections now and others when their request ends: running watches continue. */
  retire(): void {
    this.#retired = true;
    for (const idle of [...this.#idle.values()].flat()) idle.destroy();
    clearInterval(this.#sweep);
  }

  /** Closes all connections. */
  close(): void {
    this.retire();
    for (const connection of this.#open) connection.destroy();
  }

  /** The connection through a proxy that TLS uses. */
  #dialed(endpoint: Endpoint): Pick<ConnectionOptions, 'socket'> {
    return this.#dial === undefined ? {} : { socket: dialedStream(this.#dial(endpoint)) as Socket };
  }

  #keep(connection: Http1Connection): void {
    const at = hostPort(connection.endpoint);
    let idle = this.#idle.get(at);
    if (idle === undefined) this.#idle.set(at, (idle = []));
    if (this.#retired || idle.length >= maxIdleConnections) return connection.destroy();
    connection.idleSince = performance.now();
    idle.push(connection);
    this.#sweep ??= setInterval(() => this.#closeIdle(), sweepMs).unref();
  }

  /** One timer for all: a timer per connection would have to be reset by each request. */
  #closeIdle(): void {
    const before = performance.now() - idleMs;
    for (const idle of this.#idle.values()) {
      // The connections are ordered by their idle time, the longest first.
      for (const connection of idle.filter(({ idleSince }) => idleSince < before)) connection.destroy();
    }
  }

  #forget(connection: Http1Connection): void {
    this.#open.delete(connection);
    const at = hostPort(connection.endpoint);
    const left = this.#idle.get(at)?.filter((idle) => idle !== connection);
    if (left === undefined || left.length === 0) this.#idle.delete(at);
    else this.#idle.set(at, left);
  }
}
