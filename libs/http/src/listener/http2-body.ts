import type { Buffer } from 'node:buffer';
import type { ServerHttp2Stream } from 'node:http2';
import { Readable } from 'node:stream';

/** The body of a request over HTTP/2, for those who pass it on. To destroy it does not end the response. */
export class Http2Body extends Readable {
  readonly #stream: ServerHttp2Stream;
  #isRead = false;

  constructor(stream: ServerHttp2Stream) {
    super();
    this.#stream = stream;
    // Readers are connected later, for example after a dial. Until then, an abort must not end the process.
    this.on('error', () => undefined);
    stream.once('end', this.#end);
    stream.once('aborted', this.#fail);
    stream.once('close', this.#fail);
    if (stream.readableEnded) this.push(null);
    else if (stream.destroyed) this.#fail();
  }

  override _read(): void {
    if (!this.#isRead) this.#stream.on('data', this.#data);
    this.#isRead = true;
    this.#stream.resume();
  }

  readonly #data = (bytes: Buffer): void => {
    if (this.destroyed || !this.push(bytes)) this.#stream.pause();
  };

  readonly #end = (): void => {
    // A stream that was reset also ends.
    if (this.#stream.aborted) this.#fail();
    else this.push(null);
  };

  readonly #fail = (): void => {
    if (!this.readableEnded && !this.#stream.readableEnded)
      this.destroy(Object.assign(new Error('the client aborted its request'), { code: 'ECONNRESET' }));
  };
}
