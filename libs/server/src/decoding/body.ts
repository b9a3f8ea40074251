import { Buffer } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import type { Http2ServerResponse, ServerHttp2Stream } from 'node:http2';
import { badRequest, failure, tooLarge, unsupportedMediaType } from '@annex/machinery';
import type { RequestContext } from '../context.ts';

/** The largest body of a write, as kube-apiserver's: 3 MiB. */
export const maxBodyBytes = 3 * 1024 * 1024;

const emptyBody = Buffer.alloc(0);

/** Reads a body whole. Throws 413 past the limit (the rest is not read) and 400 where the client stops halfway. */
export function readBody(ctx: RequestContext, limit = maxBodyBytes): Buffer | Promise<Buffer> {
  const { req } = ctx;
  const declared = Number(req.headers['content-length'] ?? 0);
  if (declared > limit) throw bodyTooLarge(limit);
  // A short body comes with its head: all of it is there before anybody asks for it. HTTP/2 calls broken streams complete, too.
  const isThere = req.complete && req.httpVersionMajor === 1 && req.readableLength <= limit;
  return isThere ? ((req.read() as Buffer | null) ?? emptyBody) : readChunks(ctx, limit);
}

function readChunks(ctx: RequestContext, limit: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  return new Promise<Buffer>((resolve, reject) => {
    ctx.req.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > limit) {
        ctx.req.pause();
        reject(bodyTooLarge(limit));
      } else chunks.push(chunk);
    });
    ctx.req.once('end', () => resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)));
    ctx.req.once('error', (error) => reject(badRequest(`unable to read the request body: ${error.message}`)));
    ctx.req.once('aborted', () => reject(failure('Timeout', 'the client stopped sending the request body')));
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
export function refuseRest({ req, res }: Pick<RequestContext, 'req' | 'res'>): void {
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

/** The media type of a body without its parameters, lower case; empty where none was sent. Bad parameters spoil it. */
export function mediaType(ctx: RequestContext): string {
  const sent = ctx.req.headers['content-type'] ?? '';
  if (sent === 'application/json') return sent;
  const [type = '', ...parameters] = sent.split(';');
  const isBad = parameters.some((text) => text.trim() !== '' && !/^\s*[^\s=]+=./.test(text));
  return isBad ? '*' : type.trim().toLowerCase();
}

/** The media type of a patch, which kube compares letter by letter; its parameters mean nothing. */
export const patchMediaType = (ctx: RequestContext): string =>
  (ctx.req.headers['content-type'] ?? '').split(';')[0] ?? '';

/** kube's refusal of a body in a form it does not read. */
export const unknownFormat = (accepted: readonly string[]) =>
  unsupportedMediaType(
    `the body of the request was in an unknown format - accepted media types include: ${accepted.join(', ')}`,
  );
