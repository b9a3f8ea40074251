import type { Buffer } from 'node:buffer';
import type { TLSSocket } from 'node:tls';
import type { FieldLines } from '../exchange/field-lines.ts';
import { listedNames } from '../header-list.ts';
import { type AnswerBody, type BodySource, ReceivedBody } from './answer-body.ts';
import { type AnswerHead, faultOf, MalformedAnswer, parseHead } from './answer-head.ts';
import { type BodyReader, bodyReader } from './body-reader.ts';
import { framingOf, keepsConnection } from './framing.ts';
import { HeadReader } from './head-reader.ts';

/** An answer whose head is there. */
export interface Answer extends Omit<AnswerHead, 'isHttp11'> {
  body: AnswerBody;
  /** The connection that it came on. */
  socket: TLSSocket | undefined;
  /** Set where the backend changed to another protocol: what it said in it already. The socket is the caller's. */
  upgraded?: Buffer;
}

/** An answer that comes before the answer (1xx). */
export interface Information {
  statusCode: number;
  headers: FieldLines;
}

/** Who waits for an answer. One of the two is called, once; the body of an answer may come later, and fail then. */
export interface Asker {
  answered(answer: Answer): void;
  failed(error: Error): void;
}

/** What an exchange needs of its connection. */
export interface ExchangeConnection extends BodySource {
  readonly socket: TLSSocket;
  /** True once the handshake is over. */
  readonly isMade: boolean;
  /** True once it answered a request. */
  readonly isUsed: boolean;
  /** The exchange is over: on to the next one, or the end. */
  settle(reusable: boolean): void;
  /** The socket belongs to somebody else from now on. */
  release(): void;
}

/** One request and its answer, RFC 9112. */
export class Exchange {
  readonly #connection: ExchangeConnection;
  readonly #method: string;
  readonly #onInformation: ((information: Information) => void) | undefined;
  readonly #asker: Asker;
  readonly #heads = new HeadReader();
  #body: ReceivedBody | undefined;
  #reader: BodyReader | undefined;
  #reusable = true;
  #isOver = false;
  #stopWriting: (() => void) | undefined;

  constructor(
    connection: ExchangeConnection,
    method: string,
    asker: Asker,
    onInformation?: (information: Information) => void,
  ) {
    this.#connection = connection;
    this.#method = method;
    this.#onInformation = onInformation;
    this.#asker = asker;
  }

  /** True before the first byte of the answer. */
  isUnanswered = true;

  /** The body of the request is being written until `stop` is called or {@link written} is. */
  writing(stop: () => void): void {
    this.#stopWriting = stop;
  }

  written(error?: Error): void {
    this.#stopWriting = undefined;
    if (error !== undefined) this.#connection.destroy(error);
  }

  /** Ends an exchange that nobody waits for, and its connection; one that is over stays as it is. */
  cancel(error?: Error): void {
    if (!this.#isOver) this.#connection.destroy(error);
  }

  /** Takes bytes of the answer. Throws where they are none. */
  receive(bytes: Buffer): void {
    this.isUnanswered = false;
    let rest = bytes;
    while (this.#reader === undefined) {
      const read = this.#heads.take(rest);
      if (read === undefined) return;
      rest = read.rest;
      this.#takeHead(parseHead(read.head), rest);
      if (this.#isOver) return;
    }
    this.#read(this.#reader, rest);
  }

  /** The connection ended. Returns what is missing, `undefined` where the answer is whole with it. */
  end(): Error | undefined {
    if (this.#reader?.end()) return void this.#finish(this.#reader);
    return this.isUnanswered ? endOfConnection() : unexpectedEnd();
  }

  /** Tells what the connection failed with; with `reused` where it may have been closed before this request came. */
  fail(error: Error): void {
    const why = this.#reader === undefined ? this.#whyUnanswered(error) : error;
    this.#isOver = true;
    this.#stopWriting?.();
    this.#asker.failed(why);
    this.#body?.fail(error);
  }

  #whyUnanswered(error: Error): Error {
    if (!this.isUnanswered) return this.#whyNotWhole(error);
    // As Go, whose writer sees the connection closed before its reader has told why.
    const unsent = this.#stopWriting !== undefined && this.#connection.isMade;
    const why = unsent ? endedTooEarly(new Error('use of closed network connection')) : error;
    return this.#connection.isUsed ? Object.assign(why, { reused: true }) : why;
  }

  #whyNotWhole(error: Error): Error {
    if (error instanceof MalformedAnswer && error.code === undefined) return error;
    const { text } = this.#heads;
    const fault = text === '' ? undefined : faultOf(text);
    if (fault !== undefined) return endedTooEarly(fault);
    return error instanceof MalformedAnswer ? error : Object.assign(error, { hasBegun: true });
  }

  #takeHead(head: AnswerHead, rest: Buffer): void {
    const { statusCode, statusMessage, headers } = head;
    const framing = framingOf(head, this.#method);
    if (statusCode >= 100 && statusCode < 200 && statusCode !== 101) {
      return this.#onInformation?.({ statusCode, headers });
    }
    const connection = this.#connection;
    const { socket } = connection;
    const body = new ReceivedBody(connection);
    if (
      statusCode === 101 &&
      headers.get('upgrade') &&
      listedNames(headers.get('connection')).has('upgrade')
    ) {
      this.#isOver = true;
      connection.release();
      return this.#asker.answered({ statusCode, statusMessage, headers, body, socket, upgraded: rest });
    }
    this.#reusable = statusCode >= 200 && framing.by !== 'close' && keepsConnection(head);
    this.#body = body;
    this.#reader = bodyReader(framing);
    this.#asker.answered({ statusCode, statusMessage, headers, body, socket });
  }

  #read(reader: BodyReader, bytes: Buffer): void {
    const body = this.#body as ReceivedBody;
    const taken = bytes.length === 0 ? 0 : reader.take(bytes, (data) => body.push(data));
    if (!reader.done) return body.holdUnread();
    // Bytes that nobody asked for: the next answer could be made up of them.
    if (taken < bytes.length) this.#reusable = false;
    this.#finish(reader);
  }

  #finish({ trailers }: BodyReader): void {
    this.#isOver = true;
    // An answer that did not wait for the whole request: what is left of that would be read as the next one.
    if (this.#stopWriting !== undefined) this.#reusable = false;
    this.#stopWriting?.();
    this.#body?.end(trailers);
    this.#connection.settle(this.#reusable);
  }
}

/** As Node's client tells that a connection ended before its answer. */
export const endOfConnection = (): Error => Object.assign(new Error('EOF'), { code: 'ECONNRESET' });

const unexpectedEnd = (): Error => endedTooEarly(new MalformedAnswer('unexpected EOF'));

/** Marks an error of a connection that ended after it was made. */
const endedTooEarly = (error: Error): Error => Object.assign(error, { code: 'ERR_UNEXPECTED_EOF' });
