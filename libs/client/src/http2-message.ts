import {
  type ClientHttp2Stream,
  constants,
  type IncomingHttpHeaders,
  type IncomingHttpStatusHeader,
} from 'node:http2';
import { Readable } from 'node:stream';
import type { ClientMessage } from './connections.ts';

/**
 * A response on an HTTP/2 stream. Node's stream cannot be the message: its property `closed` is about HTTP/2, and is true while
 * its body is not read. Node's `finished`, which every `for await` uses, reads it as the end of the body, and fails.
 */
export class Http2Message extends Readable implements ClientMessage {
  readonly statusCode: number;
  readonly headers: IncomingHttpHeaders;
  readonly #stream: ClientHttp2Stream;

  constructor(
    stream: ClientHttp2Stream,
    { ':status': status, ...headers }: IncomingHttpHeaders & IncomingHttpStatusHeader,
  ) {
    super();
    this.#stream = stream;
    this.statusCode = Number(status);
    this.headers = headers;
    stream.on('data', (chunk: Buffer) => {
      if (!this.push(chunk)) stream.pause();
    });
    // Node reports the end of a body also where the connection ended first, with the code of a canceled stream.
    stream.once('end', () => {
      if (stream.rstCode === constants.NGHTTP2_NO_ERROR) this.push(null);
      else this.destroy(new Error(`the response broke off with the code ${stream.rstCode}`));
    });
    stream.on('error', (error) => this.destroy(error));
    stream.once('close', () => {
      if (!stream.readableEnded)
        this.destroy(new Error('the connection ended before the end of the response'));
    });
  }

  override _read(): void {
    this.#stream.resume();
  }

  /** A stream whose response is complete may still send its request. */
  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    if (!this.#stream.readableEnded) this.#stream.destroy();
    done(error);
  }
}
