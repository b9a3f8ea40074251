import { Buffer } from 'node:buffer';
import type { Socket } from 'node:net';

/** Reads known numbers of bytes from a socket, which is paused between them. */
export class ByteReader {
  readonly #socket: Socket;
  readonly #signal: AbortSignal;
  #bytes: Buffer = Buffer.alloc(0);
  #hasEnded = false;
  #wake: () => void = () => undefined;

  constructor(socket: Socket, signal: AbortSignal) {
    this.#socket = socket;
    this.#signal = signal;
    socket.pause();
    socket.on('data', this.#add).on('end', this.#end).on('close', this.#end);
    signal.addEventListener('abort', this.#stop);
  }

  /** Rejects if the socket ends before that, or if the signal aborts. */
  async take(length: number): Promise<Buffer> {
    while (this.#bytes.length < length) {
      this.#signal.throwIfAborted();
      if (this.#hasEnded) throw new Error('the client ended the connection');
      const changed = new Promise<void>((resolve) => (this.#wake = resolve));
      this.#socket.resume();
      await changed;
    }
    const taken = this.#bytes.subarray(0, length);
    this.#bytes = this.#bytes.subarray(length);
    return taken;
  }

  /** Ends the reading, and returns the bytes that were not taken. The socket stays paused, or has ended. */
  release(): Buffer {
    this.#socket.off('data', this.#add).off('end', this.#end).off('close', this.#end);
    this.#signal.removeEventListener('abort', this.#stop);
    return this.#bytes;
  }

  readonly #add = (chunk: Buffer): void => {
    this.#socket.pause();
    this.#bytes = Buffer.concat([this.#bytes, chunk]);
    this.#wake();
  };

  readonly #end = (): void => {
    this.#hasEnded = true;
    this.#wake();
  };

  readonly #stop = (): void => this.#wake();
}
