import { Buffer } from 'node:buffer';
import { Readable } from 'node:stream';
import type { AnswerHeaders } from './answer-head.ts';

/** The body of an answer, which may still be coming. */
export interface AnswerBody {
  /** All of it, where all of it is here and nobody asked for the stream; `undefined` otherwise. */
  readonly whole: Buffer | undefined;
  /** What came after the body; complete when the body is. */
  readonly trailers: AnswerHeaders;
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

const noTrailers: AnswerHeaders = Object.freeze(Object.create(null) as AnswerHeaders);
const nothing = Buffer.alloc(0);

/** Keeps what comes until somebody asks for it: a short body is whole when its head is seen, and is never made a stream. */
export class ReceivedBody implements AnswerBody {
  trailers = noTrailers;
  readonly #source: BodySource;
  #waiting: Buffer[] = [];
  #ended = false;
  #error: Error | undefined;
  #stream: Readable | undefined;

  constructor(source: BodySource) {
    this.#source = source;
  }

  get whole(): Buffer | undefined {
    if (!this.#ended || this.#stream !== undefined) return undefined;
    return this.#waiting.length > 1 ? Buffer.concat(this.#waiting) : (this.#waiting[0] ?? nothing);
  }

  stream(): Readable {
    return (this.#stream ??= this.#open());
  }

  discard(): void {
    if (!this.#ended) this.#source.destroy();
  }

  push(data: Buffer): void {
    if (this.#stream === undefined) this.#waiting.push(data);
    else if (!this.#stream.push(data)) this.#source.pause();
  }

  /** Asks the backend to wait while nobody reads. */
  holdUnread(): void {
    if (this.#stream === undefined) this.#source.pause();
  }

  end(trailers: AnswerHeaders): void {
    this.#ended = true;
    this.trailers = trailers;
    this.#stream?.push(null);
  }

  fail(error: Error): void {
    if (this.#ended) return;
    this.#error = error;
    this.#stream?.destroy(error);
  }

  #open(): Readable {
    const stream = new Readable({
      read: () => this.#source.resume(),
      destroy: (error, done) => {
        this.discard();
        done(error);
      },
    });
    for (const data of this.#waiting) stream.push(data);
    this.#waiting = [];
    if (this.#ended) stream.push(null);
    else if (this.#error !== undefined) stream.destroy(this.#error);
    return stream;
  }
}
