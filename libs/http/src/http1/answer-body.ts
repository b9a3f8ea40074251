import { Buffer } from 'node:buffer';
import { Readable } from 'node:stream';
import type { Fields } from '../exchange/field-lines.ts';

/** Who is given a body, piece by piece, and one end of it. */
export interface BodySink {
  data(bytes: Buffer): void;
  /** All of it was given. */
  end(): void;
  /** It breaks off here: what was given is not all of it. */
  fail(error: Error): void;
}

/** The body of an answer, which may still be coming. */
export interface AnswerBody {
  /** All of it, where all of it is here and nobody asked for it yet; `undefined` otherwise. */
  readonly whole: Buffer | undefined;
  /** What came after the body; complete when the body is. */
  readonly trailers: Fields;
  /** Gives what is here, and from now on what comes. */
  to(sink: BodySink): void;
  /** Asks the backend to wait. */
  pause(): void;
  resume(): void;
  /** The body as a stream: the same each time. It fails where the backend breaks off. */
  stream(): Readable;
  /** Lets go of a body that nobody wants. */
  discard(): void;
}

/** The connection that a body comes from, as far as the body's reader has a say. */
export interface BodySource {
  pause(): void;
  resume(): void;
  /** Ends it, and whatever is sent on it. */
  destroy(error?: Error): void;
}

const noTrailers: Fields = Object.freeze(Object.create(null) as Fields);
const nothing = Buffer.alloc(0);

/** Keeps what comes until somebody asks for it: a short body is whole when its head is seen, and is never made a stream. */
export class ReceivedBody implements AnswerBody {
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

  /** Asks the backend to wait while nobody reads. */
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
