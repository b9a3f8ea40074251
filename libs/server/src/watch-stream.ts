import type { Buffer } from 'node:buffer';
import type { ServerResponse } from 'node:http';
import { unsentBytes } from '@annex/http';

const littleBytes = 1024 * 1024;

/** The answer to a watch: bytes go out as they come; a client that does not read is cut off, without harm to others. */
export class WatchStream {
  readonly #res: ServerResponse;
  readonly #maxBufferedBytes: number;
  /** Resolves when the answer is over, whoever ended it. */
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

  /** Resolves when what was written has been read, or never will be; `undefined` while only little waits. */
  drained(): Promise<void> | undefined {
    const { promise, resolve } = Promise.withResolvers<void>();
    if (this.#res.destroyed || unsentBytes(this.#res) < littleBytes) return undefined;
    this.#res.once('drain', resolve);
    return Promise.race([promise, this.closed]).finally(() => this.#res.off('drain', resolve));
  }

  /** Ends the answer regularly; what was written is still sent. */
  readonly end = (): void => {
    if (!this.#res.destroyed && !this.#res.writableEnded) this.#res.end();
  };
}
