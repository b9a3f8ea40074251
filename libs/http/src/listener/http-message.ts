import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http';
import type { ServerHttp2Stream } from 'node:http2';
import type { Socket } from 'node:net';

/** What requests of HTTP/1.1 and HTTP/2 have in common: Node's `IncomingMessage`, and `Http2Request`. */
export interface HttpRequest {
  readonly method?: string | undefined;
  /** The target as it was sent. */
  readonly url?: string | undefined;
  readonly httpVersion: string;
  readonly httpVersionMajor: number;
  /** Steps delete the headers that later ones must not read. */
  readonly headers: IncomingHttpHeaders;
  /** Alternating names and values, as they were sent. */
  readonly rawHeaders: string[];
  /** True if nothing of the body is still to come. */
  readonly complete: boolean;
  /** The TLS connection; absent if it is already gone. */
  readonly socket: Socket | undefined;
  /** Set for HTTP/2. */
  readonly stream?: ServerHttp2Stream;
}

/** The events of a response: it was sent, it was sent or its client is gone, and the client has read. */
export type ResponseEvent = 'finish' | 'close' | 'drain';

/** What responses of HTTP/1.1 and HTTP/2 have in common: Node's `ServerResponse`, and `Http2Response`. */
export interface HttpResponse {
  statusCode: number;
  readonly headersSent: boolean;
  /** True after `end`. */
  readonly writableEnded: boolean;
  readonly writableNeedDrain: boolean;
  /** Bytes that wait for the client. */
  readonly writableLength: number;
  /** True if nothing more can be sent. */
  readonly destroyed: boolean;
  /** Set for HTTP/2. */
  readonly stream?: ServerHttp2Stream;
  /** Sets a header that is sent with those of `writeHead`. */
  setHeader(name: string, value: string): unknown;
  /** Sends the head, or keeps it until the first bytes of the body. With a `Trailer` header, the end waits for trailers. */
  writeHead(code: number, headers?: OutgoingHttpHeaders): unknown;
  flushHeaders(): void;
  /** Sends an interim response. Throws if its headers cannot be sent. */
  writeInformation(code: number, headers: Record<string, string>): unknown;
  /** Returns false if the client has to read first: `drain` follows. */
  write(bytes: string | Uint8Array, written?: (error?: Error | null) => void): boolean;
  addTrailers(trailers: OutgoingHttpHeaders): void;
  end(body?: string | Uint8Array, encoding?: BufferEncoding): unknown;
  /** Ends the connection, or the stream, at once. */
  destroy(error?: Error): unknown;
  on(event: ResponseEvent, listener: () => void): unknown;
  once(event: ResponseEvent, listener: () => void): unknown;
  off(event: ResponseEvent, listener: () => void): unknown;
}
