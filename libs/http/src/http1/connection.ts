import type { Buffer } from 'node:buffer';
import type { Readable } from 'node:stream';
import { connect, type ConnectionOptions, type TLSSocket } from 'node:tls';
import { type Endpoint, hostPort } from '../exchange/endpoint.ts';
import {
  type Asker,
  endOfConnection,
  Exchange,
  type ExchangeConnection,
  type Information,
} from './exchange.ts';
import { writeBody } from './request-writer.ts';

/** A request whose head is encoded. */
export interface Http1Request {
  method: string;
  head: string;
  body?: Readable | undefined;
  /** True where the length of the body was not said. */
  chunked: boolean;
  asker: Asker;
  onInformation?: ((information: Information) => void) | undefined;
}

/** Who keeps a connection. */
export interface ConnectionKeeper {
  /** It can take the next request. */
  idle(connection: Http1Connection): void;
  /** It never will again. */
  closed(connection: Http1Connection): void;
}

// The times of Go's transport.
export const dialTimeoutMs = 30_000;
export const backendHandshakeTimeoutMs = 10_000;
// A peer that is gone without a word is noticed.
const probeMs = 30_000;

/** A connection of HTTP/1.1 over TLS: one request at a time. */
export class Http1Connection implements ExchangeConnection {
  readonly endpoint: Endpoint;
  readonly socket: TLSSocket;
  isMade = false;
  isUsed = false;
  /** When it was last given back, in milliseconds of `performance.now()`. */
  idleSince = 0;
  readonly #keeper: ConnectionKeeper;
  #exchange: Exchange | undefined;
  #isPaused = false;
  #dialling: NodeJS.Timeout | undefined;
  /** Its two ends, for errors: a closed socket does not know them any more. */
  #between: string | undefined;

  constructor(endpoint: Endpoint, tls: ConnectionOptions, keeper: ConnectionKeeper) {
    this.endpoint = endpoint;
    this.#keeper = keeper;
    const { host, port } = endpoint;
    this.socket = connect({ ...tls, host, port, ALPNProtocols: ['http/1.1'] });
    this.socket
      .setNoDelay(true)
      .setKeepAlive(true, probeMs)
      .on('data', this.#onData)
      .on('end', this.#onEnd)
      .on('error', this.#onError)
      .on('close', this.#onClose)
      .once('connect', () => {
        this.#between = between(this.socket);
        this.#giveUpAfter(backendHandshakeTimeoutMs, 'net/http: TLS handshake timeout');
      })
      .once('secureConnect', () => {
        this.isMade = true;
        clearTimeout(this.#dialling);
      });
    this.#giveUpAfter(dialTimeoutMs, `dial tcp ${hostPort(endpoint)}: i/o timeout`);
  }

  /** Sends a request. Its answer fails with what the connection fails with. */
  send({ method, head, body, chunked, asker, onInformation }: Http1Request): Exchange {
    const exchange = new Exchange(this, method, asker, onInformation);
    this.#exchange = exchange;
    if (body === undefined) this.socket.write(head, 'latin1');
    else {
      this.socket.cork();
      this.socket.write(head, 'latin1');
      exchange.writing(writeBody(body, this.socket, chunked, (error) => exchange.written(error)));
      process.nextTick(() => this.socket.uncork());
    }
    return exchange;
  }

  destroy(error?: Error): void {
    this.socket.destroy(error);
  }

  pause(): void {
    this.#isPaused = true;
    this.socket.pause();
  }

  resume(): void {
    if (!this.#isPaused) return;
    this.#isPaused = false;
    this.socket.resume();
  }

  settle(reusable: boolean): void {
    this.#exchange = undefined;
    this.resume();
    if (!reusable || this.socket.destroyed) return void this.socket.destroy();
    this.isUsed = true;
    this.#keeper.idle(this);
  }

  release(): void {
    this.#exchange = undefined;
    const { socket } = this;
    socket.pause().off('data', this.#onData).off('end', this.#onEnd).off('error', this.#onError);
    socket.off('close', this.#onClose);
    this.#keeper.closed(this);
  }

  #giveUpAfter(ms: number, why: string): void {
    clearTimeout(this.#dialling);
    this.#dialling = setTimeout(() => this.socket.destroy(new Error(why)), ms);
  }

  readonly #onData = (bytes: Buffer): void => {
    // Whoever speaks without being asked is not listened to.
    if (this.#exchange === undefined) return void this.socket.destroy();
    try {
      this.#exchange.receive(bytes);
    } catch (error) {
      this.socket.destroy(error as Error);
    }
  };

  readonly #onEnd = (): void => void this.socket.destroy(this.#exchange?.end());

  readonly #onError = (error: Error): void => {
    const failed = this.#exchange;
    this.#exchange = undefined;
    failed?.fail(this.#between === undefined ? error : Object.assign(error, { between: this.#between }));
  };

  readonly #onClose = (): void => {
    clearTimeout(this.#dialling);
    this.#onError(endOfConnection());
    this.#keeper.closed(this);
  };
}

const between = ({
  localAddress = '',
  localPort = 0,
  remoteAddress = '',
  remotePort = 0,
}: TLSSocket): string =>
  [
    hostPort({ host: localAddress, port: localPort }),
    hostPort({ host: remoteAddress, port: remotePort }),
  ].join('->');
