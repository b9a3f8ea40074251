import { Buffer } from 'node:buffer';
import { once } from 'node:events';
import type { Socket } from 'node:net';

/** Reads a known number of bytes from a socket; those behind stay in it. */
export class ByteReader {
  readonly #socket: Socket;
  readonly #signal: AbortSignal;

  constructor(socket: Socket, signal: AbortSignal) {
    this.#socket = socket;
    this.#signal = signal;
  }

  /** Rejects if the socket ends before that, or if the signal aborts. */
  async take(length: number): Promise<Buffer> {
    if (length === 0) return Buffer.alloc(0);
    for (;;) {
      this.#signal.throwIfAborted();
      const bytes = this.#socket.read(length) as Buffer | null;
      if (bytes !== null && bytes.length === length) return bytes;
      if (this.#socket.readableEnded || this.#socket.destroyed)
        throw new Error('the client ended the connection');
      const ended = new AbortController();
      const signal = AbortSignal.any([this.#signal, ended.signal]);
      try {
        await Promise.race([
          once(this.#socket, 'readable', { signal }),
          once(this.#socket, 'end', { signal }),
          once(this.#socket, 'close', { signal }),
        ]);
      } finally {
        ended.abort();
      }
    }
  }
}
