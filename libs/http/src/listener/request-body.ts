import { Buffer } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import type { ServerHttp2Stream } from 'node:http2';
import type { Readable } from 'node:stream';
import { badRequest, failure, tooLarge } from '@annex/machinery';
import type { HttpRequest, HttpResponse } from './http-message.ts';
import { Http2Request } from './http2-request.ts';

/** A request and its response, as the listener passes them to a handler. */
export interface RequestAndResponse {
  readonly req: HttpRequest;
  readonly res: HttpResponse;
}

/** Returns the body of a request as a stream. */
export const bodyStream = (req: HttpRequest): Readable =>
  req instanceof Http2Request ? req.body : (req as IncomingMessage);

/** Bytes of the largest body of a write: 3 MiB, as in kube-apiserver. */
export const maxBodyBytes = 3 * 1024 * 1024;

const emptyBody = Buffer.alloc(0);

/** Reads a whole body. Throws 413 beyond the limit (the rest is not read) and 400 if the client aborts. */
export function readBody(
  { req }: Pick<RequestAndResponse, 'req'>,
  limit = maxBodyBytes,
): Buffer | Promise<Buffer> {
  const declared = Number(req.headers['content-length'] ?? 0);
  if (declared > limit) throw bodyTooLarge(limit);
  // A short body arrives with its head.
  if (req instanceof Http2Request) return req.takeBody(declared) ?? readChunks(req.stream, limit);
  const message = req as IncomingMessage;
  // Without a length, Node 26 returns the first chunk only.
  return message.complete && message.readableLength <= limit
    ? ((message.read(message.readableLength) as Buffer | null) ?? emptyBody)
    : readChunks(message, limit);
}

function readChunks(source: IncomingMessage | ServerHttp2Stream, limit: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  return new Promise<Buffer>((resolve, reject) => {
    const aborted = () => reject(failure('Timeout', 'the client stopped sending the request body'));
    // A stream that is reset also emits its end.
    if (source.aborted) return aborted();
    source.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > limit) {
        source.pause();
        reject(bodyTooLarge(limit));
      } else chunks.push(chunk);
    });
    source.once('end', () => resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)));
    // A stream of HTTP/2 that fails is also aborted.
    if (!('session' in source))
      source.once('error', ({ message }: Error) =>
        reject(badRequest(`unable to read the request body: ${message}`)),
      );
    source.once('aborted', aborted);
  });
}

const bodyTooLarge = (limit: number) => tooLarge(`Request entity too large: limit is ${limit}`);

/** True if a body follows the head (for HTTP/1.1: RFC 9112 section 6). */
export const announcesBody = ({ headers, stream }: HttpRequest): boolean =>
  stream === undefined
    ? 'transfer-encoding' in headers || Number(headers['content-length'] ?? 0) !== 0
    : !stream.endAfterHeaders;

/**
 * Bytes of a body that are read and discarded after the response, to keep the connection. Source: Go's
 * net/http.
 */
export const maxUnreadBytes = 256 * 1024;

/** Milliseconds for which an HTTP/2 stream is read after its response before it is reset. */
export const unreadTimeoutMs = 1000;

/**
 * Lets a client stop sending when the response comes before the end of the body: the connection, or the
 * HTTP/2 stream, ends with the response. Call it before the response head is written.
 */
export function refuseRest({ req, res }: RequestAndResponse): void {
  if (req.complete) return;
  // Node marks a request that it has just parsed as incomplete, even if it has no body.
  if (!announcesBody(req)) return;
  if (res.stream !== undefined) linger(res.stream);
  else if (Number(req.headers['content-length']) <= maxUnreadBytes) res.once('finish', () => awaitRest(req));
  else res.setHeader('Connection', 'close');
}

/** Milliseconds for the rest of a short HTTP/1.1 body after its request was refused. */
const restMs = 10_000;

/** Closes a connection whose client does not finish a body that is not read. */
function awaitRest(req: HttpRequest): void {
  if (req.complete) return;
  const timer = setTimeout(() => req.socket?.destroy(), restMs);
  (req as IncomingMessage).once('close', () => clearTimeout(timer));
}

/**
 * Continues to read after the response, within limits. An immediate reset can overtake the last frame of the
 * response, and Go's client then reports the reset instead of the response.
 */
function linger(stream: ServerHttp2Stream): void {
  stream.once('finish', () => {
    const timer = setTimeout(() => stream.close(), unreadTimeoutMs);
    stream.once('close', () => clearTimeout(timer));
    let unread = 0;
    stream.removeAllListeners('data');
    stream.on('data', (chunk: Buffer) => {
      unread += chunk.length;
      if (unread > maxUnreadBytes) stream.pause();
    });
    stream.resume();
  });
}
