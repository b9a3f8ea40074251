import type { OutgoingHttpHeader, OutgoingHttpHeaders } from 'node:http';
import type { ServerHttp2Stream } from 'node:http2';
import type { HttpResponse, ResponseEvent } from './http-message.ts';

/** Errors of a stream concern its client; those who send a response learn of its end by `close`. */
const ignore = (): void => undefined;

/**
 * A response over HTTP/2. Node's own class emits the events of its stream again, copies the headers, and sends the end of each body in a
 * separate frame, because it waits for trailers.
 */
export class Http2Response implements HttpResponse {
  readonly stream: ServerHttp2Stream;
  statusCode = 200;
  /** Headers that were set before the head, by lower-case name. */
  #headers: Map<string, string> | undefined;
  #trailers: OutgoingHttpHeaders | undefined;
  #isEnded = false;
  /** The head is the whole response. */
  #endsWithHead = false;
  #onClose: (() => void)[] = [];

  constructor(stream: ServerHttp2Stream) {
    this.stream = stream;
    stream.on('error', ignore);
    stream.on('close', () => {
      const listeners = this.#onClose;
      this.#onClose = [];
      for (const listener of listeners) listener();
    });
  }

  get headersSent(): boolean {
    return this.stream.headersSent;
  }

  get writableEnded(): boolean {
    return this.#isEnded;
  }

  get writableNeedDrain(): boolean {
    return this.stream.writableNeedDrain;
  }

  get writableLength(): number {
    return this.stream.writableLength;
  }

  get destroyed(): boolean {
    return this.stream.destroyed;
  }

  setHeader(name: string, value: string): void {
    (this.#headers ??= new Map()).set(name.toLowerCase(), value);
  }

  writeHead(code: number, headers: OutgoingHttpHeaders = {}): this {
    const { stream } = this;
    this.statusCode = code;
    if (!stream.destroyed && !stream.closed) this.#respond(headers);
    return this;
  }

  flushHeaders(): void {
    if (!this.headersSent) this.writeHead(this.statusCode);
  }

  writeInformation(code: number, headers: Record<string, string> = {}): void {
    const { stream } = this;
    if (!stream.headersSent && !stream.destroyed && !stream.closed)
      stream.additionalHeaders({ ':status': code, ...headers });
  }

  /** Called by Node for requests with `Expect: 100-continue`. */
  writeContinue(): void {
    this.writeInformation(100);
  }

  write(bytes: string | Uint8Array, written?: (error?: Error | null) => void): boolean {
    this.flushHeaders();
    return this.stream.write(bytes, written);
  }

  addTrailers(trailers: OutgoingHttpHeaders): void {
    this.#trailers = trailers;
  }

  end(body?: string | Uint8Array, encoding: BufferEncoding = 'utf8'): this {
    const { stream } = this;
    if (this.#isEnded) return this;
    this.#isEnded = true;
    if (stream.destroyed || stream.closed) return this;
    this.#endsWithHead = body === undefined;
    this.flushHeaders();
    if (stream.writableEnded) return this;
    if (body === undefined) stream.end();
    else stream.end(body, encoding);
    return this;
  }

  destroy(error?: Error): this {
    this.stream.destroy(error);
    return this;
  }

  on(event: ResponseEvent, listener: () => void): this {
    if (event === 'drain') this.stream.on(event, listener);
    else this.#onClose.push(listener);
    return this;
  }

  /** Except for `drain`, each event occurs once. */
  once(event: ResponseEvent, listener: () => void): this {
    if (event === 'drain') this.stream.once(event, listener);
    else this.#onClose.push(listener);
    return this;
  }

  off(event: ResponseEvent, listener: () => void): this {
    if (event === 'drain') this.stream.off(event, listener);
    else this.#onClose = this.#onClose.filter((one) => one !== listener);
    return this;
  }

  #respond(headers: OutgoingHttpHeaders): void {
    const waitForTrailers = (headers.trailer ?? headers.Trailer) !== undefined;
    if (waitForTrailers) this.stream.once('wantTrailers', () => this.#sendTrailers());
    const options = { endStream: this.#endsWithHead, waitForTrailers };
    // A list costs less than an object, which Node copies.
    this.stream.respond(this.#headerList(headers) as string[], options);
  }

  #headerList(headers: OutgoingHttpHeaders): OutgoingHttpHeader[] {
    const list: OutgoingHttpHeader[] = [':status', this.statusCode];
    if (this.#headers !== undefined) {
      const replaced = new Set(Object.keys(headers).map((name) => name.toLowerCase()));
      for (const [name, value] of this.#headers) if (!replaced.has(name)) list.push(name, value);
    }
    for (const name of Object.keys(headers)) {
      const value = headers[name];
      if (value !== undefined) list.push(name, value);
    }
    return list;
  }

  #sendTrailers(): void {
    try {
      this.stream.sendTrailers(this.#trailers ?? {});
    } catch (error) {
      this.stream.destroy(error as Error);
    }
  }
}
