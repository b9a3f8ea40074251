import { Buffer } from 'node:buffer';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { parseJson, type Status, type StatusError, stringifyJson } from '@annex/machinery';
import { refuseRest } from '@annex/http';
import { type RequestContext, traceRefusal } from '@annex/kinds';
import { createPacer, isContended } from '@annex/runtime';
import type { Pieces } from './encoding/list-body.ts';
import { isPrettyRequested } from './encoding/pretty.ts';
import { traceHeaders } from './trace/trace-header.ts';
import { encodeAs, errorEncoding } from './encoding/negotiation.ts';
import { returnBuffer, takeBuffer } from './slice-buffers.ts';
import { pause } from './large-objects.ts';

/** The Cache-Control of every response that is not cached, as in kube-apiserver. */
const cacheControl = 'no-cache, private';

/** Characters of all warnings of a response; when there are more, each is cut and the rest is left out. Source: kube-apiserver. */
export const maxWarningsLength = 4096;
/** Characters of one warning of a response that has too many. Source: kube-apiserver. */
export const maxWarningLength = 256;

/**
 * Returns the `Warning: 299` values of a request, quoted by RFC 7234 and without duplicates. Omits warnings
 * that a header cannot contain.
 */
export function warningHeaders(request: RequestContext): string[] {
  if (request.warnings.length === 0) return [];
  return fitting(request.warnings).map((text) => `299 - "${inBytes(text.replace(/["\\]/g, '\\$&'))}"`);
}

// Node writes a header's characters as bytes; kube-apiserver sends UTF-8.
const inBytes = (text: string): string => Buffer.from(text).toString('latin1');

/** Truncates the warnings if all of them together are too long. Reads no further than the maximum. */
function fitting(warnings: readonly string[]): readonly string[] {
  const texts = new Set<string>();
  const truncated: string[] = [];
  let length = 0;
  let truncatedLength = 0;
  for (const text of warnings) {
    if (text === '' || texts.has(text) || /\p{Cc}/u.test(text)) continue;
    texts.add(text);
    // A character has two code units at most.
    const runes = Array.from(text.slice(0, 2 * maxWarningsLength + 2));
    length += runes.length;
    if (truncatedLength >= maxWarningsLength) break;
    const start = runes.slice(0, maxWarningLength);
    truncatedLength += start.length;
    truncated.push(start.join(''));
  }
  return length <= maxWarningsLength ? [...texts] : truncated;
}

function head(request: RequestContext, code: number, headers: Record<string, string | string[]>): void {
  const warnings = warningHeaders(request);
  refuseRest(request);
  request.res.writeHead(code, {
    'Audit-Id': request.auditId,
    'Cache-Control': cacheControl,
    ...request.flowHeaders,
    ...(warnings.length > 0 ? { Warning: warnings } : {}),
    ...(request.trace.requested ? traceHeaders(request.trace) : {}),
    ...headers,
  });
}

/** Sends a whole body; a text is sent as UTF-8. A response to HEAD has only the headers. */
export function sendBody(
  request: RequestContext,
  code: number,
  contentType: string,
  body: Buffer | string,
  headers: Record<string, string> = {},
): void {
  const sent = contentType === 'application/json' && isPrettyRequested(request) ? indented(body) : body;
  const length = typeof sent === 'string' ? Buffer.byteLength(sent) : sent.length;
  head(request, code, { 'Content-Type': contentType, 'Content-Length': String(length), ...headers });
  // ASCII has one byte per character in latin1.
  if (typeof sent !== 'string') endWhole(request, sent);
  else if (length !== sent.length || !joins(request, length)) endWhole(request, Buffer.from(sent));
  else request.res.end(sent, 'latin1');
}

/** Bytes up to which a copy costs less than a separate write in Node. */
const copiedBytes = 64 * 1024;

/**
 * Returns whether to send a response as one text. Node joins the head and a text body into one write, which
 * takes a tenth less CPU time than a text and a buffer.
 */
const joins = ({ req }: RequestContext, length: number): boolean =>
  req.httpVersionMajor === 1 && req.method !== 'HEAD' && length <= copiedBytes;

/** Ends a response whose head is written but not sent. */
export function endWhole(request: RequestContext, body: Buffer): void {
  if (joins(request, body.length)) request.res.end(body.toString('latin1'), 'latin1');
  else request.res.end(request.req.method === 'HEAD' ? undefined : body);
}

/** The number of bytes in one write: long writes cost less, but others wait for them. */
const sliceBytes = (): number => (isContended() ? 64 : 256) * 1024;

/**
 * Sends a body in pieces, no faster than the client reads it, so that nothing is copied for a slow client.
 * Resolves when all bytes are written or the client has disconnected.
 */
export async function sendPieces(
  request: RequestContext,
  code: number,
  { contentType, pieces }: Pieces,
): Promise<void> {
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  if (length > compressedFrom && acceptsGzip(request)) {
    head(request, code, { 'Content-Type': contentType, 'Content-Encoding': 'gzip', Vary: 'Accept-Encoding' });
    if (request.req.method === 'HEAD') return void request.res.end();
    return await sendCompressed(request, copies(pieces, length));
  }
  head(request, code, { 'Content-Type': contentType, 'Content-Length': String(length) });
  await writePieces(request, pieces, length);
}

/** Writes the body of a response, no faster than the client reads it; nothing for HEAD. */
export async function writePieces(
  request: RequestContext,
  pieces: Iterable<Uint8Array>,
  length: number,
): Promise<void> {
  const { res } = request;
  if (request.req.method === 'HEAD') return void res.end();
  const pace = createPacer();
  for (const { bytes, buffer } of slices(pieces, length)) {
    const pause = pace();
    if (pause) await pause;
    if (res.destroyed) return;
    // After an error it is unknown whether the system still reads the buffer.
    if (res.write(bytes, (error) => buffer && !error && returnBuffer(buffer))) continue;
    const release = request.connection?.holdUnsent(bytes.length);
    await drained(request);
    release?.();
  }
  res.end();
}

/** kube-apiserver compresses longer responses if the client accepts gzip. */
const compressedFrom = 128 * 1024;

const acceptsGzip = ({ req }: RequestContext): boolean =>
  String(req.headers['accept-encoding'] ?? '')
    .split(',')
    .some((token) => token.trim() === 'gzip');

/** Uses the fastest level, as kube-apiserver does. zlib works outside of the event loop. */
async function sendCompressed(request: RequestContext, content: Iterable<Uint8Array>): Promise<void> {
  const { res } = request;
  try {
    await pipeline(Readable.from(content), createGzip({ level: 1 }), async (compressed) => {
      for await (const bytes of compressed as AsyncIterable<Buffer>) {
        if (res.destroyed) return;
        if (!res.write(bytes)) await drained(request);
      }
      res.end();
    });
  } catch (error) {
    // The client has disconnected; its connection notifies all listeners.
    if (!res.destroyed) throw error;
  }
}

interface Slice {
  bytes: Uint8Array;
  /** The buffer that holds them, to return when they are written. Other slices have memory of their own. */
  buffer?: Buffer | undefined;
}

/** Copies short pieces together, and cuts long ones. */
function* slices(pieces: Iterable<Uint8Array>, total: number): Generator<Slice> {
  let unsent = total;
  let size = sliceBytes();
  let buffer: Buffer | undefined;
  let length = 0;
  const slice = (): Slice => ({
    bytes: buffer!.subarray(0, length),
    buffer: buffer!.length === size ? buffer : undefined,
  });
  for (const piece of pieces) {
    if (buffer && length + piece.length > buffer.length) {
      yield slice();
      [buffer, length, size] = [undefined, 0, sliceBytes()];
    }
    if (piece.length > size) {
      // Slices of one piece share its memory, which may be that of the stored object.
      for (let at = 0; at < piece.length; at += size) yield { bytes: piece.subarray(at, at + size) };
    } else {
      // The end of a body takes no more memory than it has bytes.
      buffer ??= unsent < size ? Buffer.allocUnsafeSlow(unsent) : takeBuffer(size);
      buffer.set(piece, length);
      length += piece.length;
    }
    unsent -= piece.length;
  }
  if (buffer) yield slice();
}

/** The pieces copied together, for a reader that may keep them. */
function* copies(pieces: Iterable<Uint8Array>, total: number): Generator<Uint8Array> {
  for (const { bytes, buffer } of slices(pieces, total)) {
    yield buffer ? Buffer.from(bytes) : bytes;
    if (buffer) returnBuffer(buffer);
  }
}

const drained = ({ res }: RequestContext): Promise<void> =>
  new Promise((resolve) => {
    const done = () => {
      res.off('drain', done);
      res.off('close', done);
      resolve();
    };
    res.on('drain', done);
    res.on('close', done);
  });

const indented = (body: Buffer | string): Buffer => Buffer.from(stringifyJson(parseJson(body.toString()), 2));

/** Sends JSON, regardless of the Accept header. */
export function sendJson(
  request: RequestContext,
  code: number,
  value: unknown,
  headers: Record<string, string> = {},
): void {
  sendBody(request, code, 'application/json', Buffer.from(stringifyJson(value)), headers);
}

/** Sends plain text with the headers of Go's http.Error. */
export function sendText(
  request: RequestContext,
  code: number,
  text: string,
  headers: Record<string, string> = {},
): void {
  sendBody(request, code, 'text/plain; charset=utf-8', Buffer.from(text), {
    'X-Content-Type-Options': 'nosniff',
    ...headers,
  });
}

/** Sends 204 No Content. */
export function sendNothing(request: RequestContext): void {
  head(request, 204, {});
  request.res.end();
}

/** Sends kube-apiserver's 404 for a path without a route. */
export const sendNotServed = (request: RequestContext): void =>
  sendText(request, 404, '404 page not found\n');

/**
 * Converts an error to a response; no other function does. Sends a Status in an encoding that the client
 * accepts, else in JSON.
 */
export async function sendStatus(request: RequestContext, error: StatusError): Promise<void> {
  if (request.res.headersSent) {
    // Too late for a Status: the aborted connection tells the client that the response is incomplete.
    request.res.destroy(error);
    return;
  }
  traceRefusal(request.trace, error.status);
  const encoding = errorEncoding(request.req.headers.accept);
  // Without a negotiated encoding, kube-apiserver sends indented JSON.
  if (encoding === undefined) {
    const text = stringifyJson(error.status, 2);
    return sendBody(request, error.code, 'application/json', Buffer.from(text), error.headers);
  }
  request.audit?.recordResponse(error.status);
  // Errors can quote a value as large as the body.
  const turn = pause();
  if (turn !== undefined) await turn;
  const { contentType, body } = await encodeAs(encoding, error.status as Status & Record<string, unknown>);
  sendBody(request, error.code, contentType, body, error.headers);
}

/** Starts a streamed response. */
export function sendHead(request: RequestContext, code: number, contentType: string): void {
  head(request, code, { 'Content-Type': contentType });
  request.res.flushHeaders();
}
