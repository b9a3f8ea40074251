import type { Buffer } from 'node:buffer';
import type { TLSSocket } from 'node:tls';
import type { FieldLines } from '../exchange/field-lines.ts';
import { listedNames } from '../header-list.ts';
import { type ResponseBody, type BodySource, ReceivedBody } from './response-body.ts';
import { type ResponseHead, faultOf, MalformedResponse, parseHead } from './response-head.ts';
import { type BodyReader, bodyReader } from './body-reader.ts';
import { framingOf, keepsConnection } from './framing.ts';
import { HeadReader } from './head-reader.ts';

/** A response after its head. */
export interface BackendResponse extends Omit<ResponseHead, 'isHttp11' | 'hasChunks'> {
  body: ResponseBody;
  /** The connection of the response. */
  socket: TLSSocket | undefined;
  /**
   * Set if the backend switched to another protocol: the data that it already sent. The caller owns the
   * socket.
   */
  upgraded?: Buffer;
}

/** An interim response (1xx). */
export interface Information {
  statusCode: number;
  headers: FieldLines;
}

/**
 * The callbacks of an exchange. One of the two is called, once; the body of a response may arrive later, and
 * fail then.
 */
export interface ResponseHandler {
  responded(response: BackendResponse): void;
  failed(error: Error): void;
}

/** The operations of an exchange on its connection. */
export interface ExchangeConnection extends BodySource {
  readonly socket: TLSSocket;
  /** True after the handshake. */
  readonly isMade: boolean;
  /** True after the first response. */
  readonly isUsed: boolean;
  /** Ends the exchange; the connection can be reused or is closed. */
  settle(reusable: boolean): void;
  /** Passes the socket to another owner. */
  release(): void;
}

/** One request and its response, RFC 9112. */
export class Exchange {
  readonly #connection: ExchangeConnection;
  readonly #method: string;
  readonly #onInformation: ((information: Information) => void) | undefined;
  readonly #handler: ResponseHandler;
  readonly #heads = new HeadReader();
  #body: ReceivedBody | undefined;
  #reader: BodyReader | undefined;
  #reusable = true;
  #isOver = false;
  #stopWriting: (() => void) | undefined;

  constructor(
    connection: ExchangeConnection,
    method: string,
    handler: ResponseHandler,
    onInformation?: (information: Information) => void,
  ) {
    this.#connection = connection;
    this.#method = method;
    this.#onInformation = onInformation;
    this.#handler = handler;
  }

  /** True before the first byte of the response. */
  awaitsResponse = true;

  /** Registers a request body that is being written, until `stop` or {@link written} is called. */
  writing(stop: () => void): void {
    this.#stopWriting = stop;
  }

  written(error?: Error): void {
    this.#stopWriting = undefined;
    if (error !== undefined) this.#connection.destroy(error);
  }

  /** Cancels a running exchange, and closes its connection. */
  cancel(error?: Error): void {
    if (!this.#isOver) this.#connection.destroy(error);
  }

  /** Consumes bytes of the response. Throws if they are malformed. */
  receive(bytes: Buffer): void {
    this.awaitsResponse = false;
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

  /**
   * Handles the end of the connection. Returns the error of an incomplete response, `undefined` if it is
   * complete.
   */
  end(): Error | undefined {
    if (this.#reader?.end()) return void this.#finish(this.#reader);
    return this.awaitsResponse ? endOfConnection() : unexpectedEnd();
  }

  /** Fails with an error of the connection; with `reused` if it may have been closed before this request. */
  fail(error: Error): void {
    const why = this.#reader === undefined ? this.#responseError(error) : error;
    this.#isOver = true;
    this.#stopWriting?.();
    this.#handler.failed(why);
    this.#body?.fail(error);
  }

  #responseError(error: Error): Error {
    if (!this.awaitsResponse) return this.#truncatedError(error);
    // As in Go, whose writer detects the closed connection before its reader has reported the cause.
    const unsent = this.#stopWriting !== undefined && this.#connection.isMade;
    const why = unsent ? endedTooEarly(new Error('use of closed network connection')) : error;
    return this.#connection.isUsed ? Object.assign(why, { reused: true }) : why;
  }

  #truncatedError(error: Error): Error {
    if (error instanceof MalformedResponse && error.code === undefined) return error;
    const { text } = this.#heads;
    const fault = text === '' ? undefined : faultOf(text);
    if (fault !== undefined) return endedTooEarly(fault);
    return error instanceof MalformedResponse ? error : Object.assign(error, { hasBegun: true });
  }

  #takeHead(head: ResponseHead, rest: Buffer): void {
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
      return this.#handler.responded({ statusCode, statusMessage, headers, body, socket, upgraded: rest });
    }
    this.#reusable = statusCode >= 200 && framing.by !== 'close' && keepsConnection(head);
    this.#body = body;
    this.#reader = bodyReader(framing);
    this.#handler.responded({ statusCode, statusMessage, headers, body, socket });
  }

  #read(reader: BodyReader, bytes: Buffer): void {
    const body = this.#body as ReceivedBody;
    const taken = bytes.length === 0 ? 0 : reader.take(bytes, (data) => body.push(data));
    if (!reader.done) return body.holdUnread();
    // Unsolicited bytes: they could forge the next response.
    if (taken < bytes.length) this.#reusable = false;
    this.#finish(reader);
  }

  #finish({ trailers }: BodyReader): void {
    this.#isOver = true;
    // The response came before the end of the request: the rest of the request would be read as the next one.
    if (this.#stopWriting !== undefined) this.#reusable = false;
    this.#stopWriting?.();
    this.#body?.end(trailers);
    this.#connection.settle(this.#reusable);
  }
}

/** The error of a connection that ended before its response, as Node's client reports it. */
export const endOfConnection = (): Error => Object.assign(new Error('EOF'), { code: 'ECONNRESET' });

const unexpectedEnd = (): Error => endedTooEarly(new MalformedResponse('unexpected EOF'));

/** Marks an error of an established connection. */
const endedTooEarly = (error: Error): Error => Object.assign(error, { code: 'ERR_UNEXPECTED_EOF' });
