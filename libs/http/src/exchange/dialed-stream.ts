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
  }

  override _construct(done: (error?: Error) => void): void {
    this.#opening.then((connection) => {
      if (this.destroyed) return void connection.destroy();
      this.#connection = connection;
      connection
        .on('data', (chunk: Buffer) => {
          if (!this.push(chunk)) connection.pause();
        })
        .on('end', () => this.push(null))
        .on('error', (error) => this.destroy(error))
        .on('close', () => {
          if (!connection.readableEnded) this.destroy();
        });
      done();
    }, done);
  }

  override _read(): void {
    this.#connection?.resume();
  }

  override _write(chunk: Buffer, encoding: BufferEncoding, written: (error?: Error | null) => void): void {
    this.#connection?.write(chunk, encoding, written);
  }

  override _final(ended: () => void): void {
    this.#connection?.end(ended);
  }

  override _destroy(error: Error | null, destroyed: (error: Error | null) => void): void {
    if (this.#connection !== undefined) this.#connection.destroy();
    else
      this.#opening.then(
        (connection) => connection.destroy(),
        () => undefined,
      );
    destroyed(error);
  }
}
