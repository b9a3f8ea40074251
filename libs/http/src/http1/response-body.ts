import { Buffer } from 'node:buffer';
import { Readable } from 'node:stream';
import type { Fields } from '../exchange/field-lines.ts';

/** Receives a body piece by piece, and its end. */
export interface BodySink {
  data(bytes: Buffer): void;
  /** The body is complete. */
  end(): void;
  /** The body is truncated here. */
  fail(error: Error): void;
}

/** The body of a response, which may still be in transit. */
export interface ResponseBody {
  /** The whole body, if it is complete and not consumed yet; `undefined` otherwise. */
  readonly whole: Buffer | undefined;
  /** The trailers; complete when the body is. */
  readonly trailers: Fields;
  /** Passes the buffered data, and then the data that arrives. */
  to(sink: BodySink): void;
  /** Pauses the backend. */
  pause(): void;
  resume(): void;
  /** The body as a stream: the same one on each call. It fails if the backend truncates the body. */
  stream(): Readable;
  /** Discards the body. */
  discard(): void;
}

/** The operations of a body on its connection. */
export interface BodySource {
  pause(): void;
  resume(): void;
  /** Closes the connection, including the request on it. */
  destroy(error?: Error): void;
}

const noTrailers: Fields = Object.freeze(Object.create(null) as Fields);
const nothing = Buffer.alloc(0);

/**
 * Buffers data until a consumer attaches: a short body is complete when its head is parsed, and never becomes
 * a stream.
 */
export class ReceivedBody implements ResponseBody {
  trailers = noTrailers;
  readonly #source: BodySource;
  #waiting: Buffer[] = [];
  #ended = false;
  #error: Error | undefined;
  #sink: BodySink | undefined;
  #stream: Readable | undefined;

  constructor(source: BodySource) {
    this.#source = source;
  }

  get whole(): Buffer | undefined {
    if (!this.#ended || this.#sink !== undefined) return undefined;
    return this.#waiting.length > 1 ? Buffer.concat(this.#waiting) : (this.#waiting[0] ?? nothing);
  }

  to(sink: BodySink): void {
    this.#sink = sink;
    this.resume();
    for (const data of this.#waiting) sink.data(data);
    this.#waiting = [];
    if (this.#ended) sink.end();
    else if (this.#error !== undefined) sink.fail(this.#error);
  }

  pause(): void {
    if (!this.#ended) this.#source.pause();
  }

  resume(): void {
    if (!this.#ended) this.#source.resume();
  }

  stream(): Readable {
    return (this.#stream ??= this.#open());
  }

  discard(): void {
    if (!this.#ended) this.#source.destroy();
  }

  push(data: Buffer): void {
    if (this.#sink === undefined) this.#waiting.push(data);
    else this.#sink.data(data);
  }

  /** Pauses the backend while there is no consumer. */
  holdUnread(): void {
    if (this.#sink === undefined) this.#source.pause();
  }

  end(trailers: Fields): void {
    this.#ended = true;
    this.trailers = trailers;
    this.#sink?.end();
  }

  fail(error: Error): void {
    if (this.#ended) return;
    this.#error = error;
    this.#sink?.fail(error);
  }

  #open(): Readable {
    const stream = new Readable({
      read: () => this.resume(),
      destroy: (error, done) => {
        this.discard();
        done(error);
      },
    });
    this.to({
      data: (bytes) => void (stream.push(bytes) || this.pause()),
      end: () => void stream.push(null),
      fail: (error) => void stream.destroy(error),
    });
    return stream;
  }
}
