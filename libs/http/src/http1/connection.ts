import type { Buffer } from 'node:buffer';
import type { Readable } from 'node:stream';
import { connect, type ConnectionOptions, type TLSSocket } from 'node:tls';
import { type Endpoint, hostPort } from '../exchange/endpoint.ts';
import {
  type ResponseHandler,
  endOfConnection,
  Exchange,
  type ExchangeConnection,
  type Information,
} from './exchange.ts';
import { writeBody } from './request-writer.ts';

/** A request with an encoded head. */
export interface Http1Request {
  method: string;
  head: string;
  body?: Readable | undefined;
  /** True if the length of the body is unknown. */
  chunked: boolean;
  handler: ResponseHandler;
  onInformation?: ((information: Information) => void) | undefined;
}

/** The owner of a connection. */
export interface ConnectionKeeper {
  /** The connection is ready for the next request. */
  idle(connection: Http1Connection): void;
  /** The connection is closed. */
  closed(connection: Http1Connection): void;
}

// Timeouts of Go's transport.
export const dialTimeoutMs = 30_000;
export const backendHandshakeTimeoutMs = 10_000;
// TCP keepalive, to detect dead peers.
const probeMs = 30_000;

/** An HTTP/1.1 connection over TLS: one request at a time. */
export class Http1Connection implements ExchangeConnection {
  readonly endpoint: Endpoint;
  readonly socket: TLSSocket;
  isMade = false;
  isUsed = false;
  /** When it became idle, in milliseconds of `performance.now()`. */
  idleSince = 0;
  readonly #keeper: ConnectionKeeper;
  #exchange: Exchange | undefined;
  #isPaused = false;
  #dialling: NodeJS.Timeout | undefined;
  /** Local and remote address, for errors: a closed socket no longer has them. */
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

  /** Sends a request. An error of the connection fails its response. */
  send({ method, head, body, chunked, handler, onInformation }: Http1Request): Exchange {
    const exchange = new Exchange(this, method, handler, onInformation);
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
    // Closes a connection whose backend sends data without a request.
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
