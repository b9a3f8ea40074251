import type { Http2Session } from 'node:http2';
import type { FramedConnection } from '../frames/framed-connection.ts';
import { connectionOf } from './sessions.ts';

/** When a silent peer is pinged, and when it is given up. */
export interface KeepAliveTimes {
  /** Milliseconds without a received byte after which the peer is pinged. */
  intervalMs: number;
  /** Milliseconds for the response to a ping. */
  timeoutMs: number;
}

/** Pings a silent peer, and calls back when it does not respond. */
export class KeepAlive {
  readonly #session: Http2Session;
  readonly #connection: FramedConnection;
  readonly #timeoutMs: number;
  readonly #dead: () => void;
  readonly #interval: NodeJS.Timeout;
  #timeout: NodeJS.Timeout | undefined;
  #bytesRead = 0;
  readonly #closed = (): void => this.stop();

  constructor(session: Http2Session, { intervalMs, timeoutMs }: KeepAliveTimes, dead: () => void) {
    this.#session = session;
    this.#connection = connectionOf(session);
    this.#timeoutMs = timeoutMs;
    this.#dead = dead;
    this.#interval = setInterval(() => this.#tick(), intervalMs).unref();
    session.once('close', this.#closed);
  }

  /** The peer has not yet responded to a ping. */
  get isWaiting(): boolean {
    return this.#timeout !== undefined;
  }

  /** Pings the peer now. */
  check(): void {
    if (this.isWaiting || this.#session.destroyed) return;
    this.#bytesRead = this.#connection.bytesRead;
    this.#timeout = setTimeout(() => this.#timedOut(), this.#timeoutMs).unref();
    this.#session.ping((error) => {
      if (error === null) this.#responded();
    });
  }

  stop(): void {
    this.#session.off('close', this.#closed);
    clearInterval(this.#interval);
    this.#responded();
  }

  #tick(): void {
    const { bytesRead } = this.#connection;
    if (bytesRead === this.#bytesRead) this.check();
    this.#bytesRead = bytesRead;
  }

  #responded(): void {
    clearTimeout(this.#timeout);
    this.#timeout = undefined;
  }

  /** If this process was busy, the response waits to be read. */
  #timedOut(): void {
    setImmediate(() =>
      setImmediate(() => {
        if (!this.isWaiting || this.#session.destroyed) return;
        this.#responded();
        if (this.#connection.bytesRead === this.#bytesRead) this.#dead();
        else this.check();
      }),
    );
  }
}
