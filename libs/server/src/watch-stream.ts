import { Buffer } from 'node:buffer';
import type { ServerResponse } from 'node:http';
import { unsentBytes } from '@annex/http';

/** A watch continues to write existing objects below these unsent bytes. */
export const fewUnsentBytes = 1024 * 1024;

/** Where the encoded events of a watch are written. */
export interface WatchOutput {
  write(event: Buffer): void;
  writeAll(events: readonly Buffer[]): void;
  /** Resolves when the written bytes have been sent or the output is closed; `undefined` if few bytes are buffered. */
  drained(): Promise<void> | undefined;
  /** Ends the output; buffered bytes are still sent. */
  readonly end: () => void;
  /** Resolves when the output is closed by either side. */
  readonly closed: Promise<void>;
}

/**
 * The response to a watch. Bytes are written as they come; a client that reads too slowly is disconnected
 * without an effect on others.
 */
export class WatchStream implements WatchOutput {
  readonly #res: ServerResponse;
  readonly #maxBufferedBytes: number;
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

  writeAll(events: readonly Buffer[]): void {
    if (events.length > 0) this.write(Buffer.concat(events));
  }

  drained(): Promise<void> | undefined {
    const { promise, resolve } = Promise.withResolvers<void>();
    if (this.#res.destroyed || unsentBytes(this.#res) < fewUnsentBytes) return undefined;
    this.#res.once('drain', resolve);
    return Promise.race([promise, this.closed]).finally(() => this.#res.off('drain', resolve));
  }

  readonly end = (): void => {
    if (!this.#res.destroyed && !this.#res.writableEnded) this.#res.end();
  };
}
