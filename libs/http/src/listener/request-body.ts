import { Buffer } from 'node:buffer';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Http2ServerResponse, ServerHttp2Stream } from 'node:http2';
import { badRequest, failure, tooLarge } from '@annex/machinery';

/** A request and its response, as Node passes them to a handler. */
export interface RequestAndResponse {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
}

/** The largest body of a write, as kube-apiserver's: 3 MiB. */
export const maxBodyBytes = 3 * 1024 * 1024;

const emptyBody = Buffer.alloc(0);

/** Reads a body whole. Throws 413 past the limit (the rest is not read) and 400 where the client stops halfway. */
export function readBody(
  { req }: Pick<RequestAndResponse, 'req'>,
  limit = maxBodyBytes,
): Buffer | Promise<Buffer> {
  const declared = Number(req.headers['content-length'] ?? 0);
  if (declared > limit) throw bodyTooLarge(limit);
  // A short body comes with its head: all of it is there before anybody asks for it. HTTP/2 calls broken streams complete, too.
  const isThere = req.complete && req.httpVersionMajor === 1 && req.readableLength <= limit;
  return isThere ? ((req.read() as Buffer | null) ?? emptyBody) : readChunks(req, limit);
}

function readChunks(req: IncomingMessage, limit: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  return new Promise<Buffer>((resolve, reject) => {
    req.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > limit) {
        req.pause();
        reject(bodyTooLarge(limit));
      } else chunks.push(chunk);
    });
    req.once('end', () => resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)));
    req.once('error', (error) => reject(badRequest(`unable to read the request body: ${error.message}`)));
    req.once('aborted', () => reject(failure('Timeout', 'the client stopped sending the request body')));
  });
}

const bodyTooLarge = (limit: number) => tooLarge(`Request entity too large: limit is ${limit}`);

/** True if a body follows the head of an HTTP/1.1 request (RFC 9112 section 6). */
export const announcesBody = ({ headers, httpVersionMajor }: IncomingMessage): boolean =>
  httpVersionMajor === 1 && ('transfer-encoding' in headers || Number(headers['content-length'] ?? 0) !== 0);

/** So much of a body is read and thrown away after its answer, to keep the connection, as Go does it. */
export const maxUnreadBytes = 256 * 1024;

/** So long a stream of HTTP/2 is read on after its answer before it is reset, in milliseconds. */
export const unreadTimeoutMs = 1000;

/**
 * Lets a client stop sending whose answer is given before its body was read: the connection ends with the answer, or the
 * stream of HTTP/2 does. To be called before the head of the answer is written.
 */
export function refuseRest({ req, res }: RequestAndResponse): void {
  if (req.complete) return;
  // Node calls a request that it has just parsed incomplete, also where no body can follow.
  if (req.httpVersionMajor === 1 && !announcesBody(req)) return;
  const { stream } = res as unknown as Partial<Http2ServerResponse>;
  if (stream !== undefined) {
    if (!stream.endAfterHeaders) linger(stream);
  } else if (Number(req.headers['content-length']) <= maxUnreadBytes)
    res.once('finish', () => awaitRest(req));
  else res.setHeader('Connection', 'close');
}

/** Time for the rest of a short body over HTTP/1.1 after its request was refused, in milliseconds. */
const restMs = 10_000;

/** Ends a connection whose client does not get on with a body that nobody reads. */
function awaitRest(req: IncomingMessage): void {
  if (req.complete) return;
  const timer = setTimeout(() => req.socket.destroy(), restMs);
  req.once('close', () => clearTimeout(timer));
}

/**
 * Reads on after the answer, within limits. A reset that follows the answer at once can overtake its last frame, and
 * Go's client then reports the reset in place of the answer.
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
