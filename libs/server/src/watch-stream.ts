import type { Buffer } from 'node:buffer';
import type { ServerResponse } from 'node:http';
import { unsentBytes } from '@annex/http';

const fewUnsentBytes = 1024 * 1024;

/**
 * The response to a watch. Bytes are written as they come; a client that reads too slowly is disconnected
 * without an effect on others.
 */
export class WatchStream {
  readonly #res: ServerResponse;
  readonly #maxBufferedBytes: number;
  /** Resolves when the response is closed by either side. */
  readonly closed: Promise<void>;

  constructor(res: ServerResponse, maxBufferedBytes: number) {
    this.#res = res;
    this.#maxBufferedBytes = maxBufferedBytes;
    this.closed = new Promise((resolve) => {
      if (res.destroyed || res.closed) resolve();
      else res.once('close', () => resolve());
    });
  }

  write(bytes: Buffer): void {
    if (this.#res.destroyed || this.#res.writableEnded) return;
    this.#res.write(bytes);
    if (unsentBytes(this.#res) > this.#maxBufferedBytes) this.#res.destroy();
  }

  /**
   * Resolves when the written bytes have been sent or the response is closed; `undefined` if few bytes are
   * buffered.
   */
  drained(): Promise<void> | undefined {
    const { promise, resolve } = Promise.withResolvers<void>();
    if (this.#res.destroyed || unsentBytes(this.#res) < fewUnsentBytes) return undefined;
    this.#res.once('drain', resolve);
    return Promise.race([promise, this.closed]).finally(() => this.#res.off('drain', resolve));
  }

  /** Ends the response; buffered bytes are still sent. */
  readonly end = (): void => {
    if (!this.#res.destroyed && !this.#res.writableEnded) this.#res.end();
  };
}
