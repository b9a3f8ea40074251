import { Duplex } from 'node:stream';

/**
 * Returns a stream that is usable before its connection is open: writes wait for it. The stream fails with the reason if the
 * connection cannot be opened.
 */
export const dialedStream = (opening: Promise<Duplex>): Duplex => new DialedStream(opening);

class DialedStream extends Duplex {
  readonly #opening: Promise<Duplex>;
  #connection: Duplex | undefined;

  constructor(opening: Promise<Duplex>) {
    super();
    this.#opening = opening;
    opening.then(
      (connection) => this.#opened(connection),
      (error: Error) => this.destroy(error),
    );
  }

  override _read(): void {
    this.#connection?.resume();
  }

  override _write(chunk: Buffer, encoding: BufferEncoding, written: (error?: Error | null) => void): void {
    this.#whenOpen((connection) => connection.write(chunk, encoding, written));
  }

  override _final(ended: () => void): void {
    this.#whenOpen((connection) => connection.end(ended));
  }

  override _destroy(error: Error | null, destroyed: (error: Error | null) => void): void {
    this.#connection?.destroy();
    destroyed(error);
  }

  #opened(connection: Duplex): void {
    connection.on('error', (error) => this.destroy(error));
    if (this.destroyed) return void connection.destroy();
    this.#connection = connection;
    connection
      .on('data', (chunk: Buffer) => {
        if (!this.push(chunk)) connection.pause();
      })
      .on('end', () => this.push(null))
      .on('close', () => {
        if (!connection.readableEnded) this.destroy();
      });
  }

  /** A connection that is not opened destroys this stream, so that nothing waits for it. */
  #whenOpen(use: (connection: Duplex) => void): void {
    if (this.#connection !== undefined) use(this.#connection);
    else this.#opening.then(use, () => undefined);
  }
}
