import type { Http2Session } from 'node:http2';
import type { FramedConnection } from '../frames/framed-connection.ts';
import { connectionOf } from './sessions.ts';

/** When a peer is pinged, and when it is given up. */
export interface KeepAliveTimes {
  /** Milliseconds between two pings. */
  intervalMs: number;
  /** Milliseconds for the response to a ping. */
  timeoutMs: number;
}

/**
 * Pings a peer, and calls back when it does not respond. A peer that sends is pinged too: one that freezes is found after both times
 * at the latest, whenever its last byte came.
 */
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
    this.#interval = setInterval(() => this.check(), intervalMs).unref();
    session.once('close', this.#closed);
  }

  /** The peer has not yet responded to a ping, nor sent anything since. */
  get isWaiting(): boolean {
    return this.#timeout !== undefined && this.#connection.bytesRead === this.#bytesRead;
  }

  /** Pings the peer now. */
  check(): void {
    if (this.#timeout !== undefined || this.#session.destroyed) return;
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

  #responded(): void {
    clearTimeout(this.#timeout);
    this.#timeout = undefined;
  }

  /** If this process was busy, the response waits to be read. */
  #timedOut(): void {
    setImmediate(() =>
      setImmediate(() => {
        if (this.#timeout === undefined || this.#session.destroyed) return;
        const isDead = this.isWaiting;
        this.#responded();
        if (isDead) this.#dead();
        else this.check();
      }),
    );
  }
}
