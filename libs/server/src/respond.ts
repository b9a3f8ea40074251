import { Buffer } from 'node:buffer';
import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { parseJson, type Status, type StatusError, stringifyJson } from '@annex/machinery';
import { refuseRest } from '@annex/http';
import { type RequestContext, traceRefusal } from '@annex/kinds';
import type { Pieces } from './encoding/list-body.ts';
import { isPrettyRequested } from './encoding/pretty.ts';
import { traceHeaders } from './trace/trace-header.ts';
import { encodeAs, errorEncoding } from './encoding/negotiation.ts';

/** Headers of every answer that is not cached: kube-apiserver sends the same two words. */
const cacheControl = 'no-cache, private';

/** Characters of all warnings of a response; when there are more, each is cut and the rest is left out. Source: kube-apiserver. */
export const maxWarningsLength = 4096;
/** Characters of one warning of a response that has too many. Source: kube-apiserver. */
export const maxWarningLength = 256;

/** The `Warning: 299` values of a request, quoted as RFC 7234 wants, each text once; those that no header can carry are left out. */
export function warningHeaders(request: RequestContext): string[] {
  if (request.warnings.length === 0) return [];
  const texts = [...new Set(request.warnings)].filter((text) => text !== '' && !/\p{Cc}/u.test(text));
  return shortened(texts).map((text) => `299 - "${inBytes(text.replace(/["\\]/g, '\\$&'))}"`);
}

// Node writes a header's characters as bytes; kube sends UTF-8.
const inBytes = (text: string): string => Buffer.from(text).toString('latin1');

function shortened(warnings: readonly string[]): readonly string[] {
  // A character has two code units at most.
  const runes = warnings.map((text) => Array.from(text.slice(0, 2 * maxWarningsLength + 2)));
  const lengths = runes.map(({ length }) => length);
  if (lengths.reduce((sum, length) => sum + length, 0) <= maxWarningsLength) return warnings;
  const kept: string[] = [];
  let length = 0;
  for (const text of runes) {
    if (length >= maxWarningsLength) break;
    const cut = text.slice(0, maxWarningLength);
    length += cut.length;
    kept.push(cut.join(''));
  }
  return kept;
}

function head(request: RequestContext, code: number, headers: Record<string, string | string[]>): void {
  const warnings = warningHeaders(request);
  refuseRest(request);
  request.res.writeHead(code, {
    'Audit-Id': request.auditId,
    'Cache-Control': cacheControl,
    ...(warnings.length > 0 ? { Warning: warnings } : {}),
    ...(request.trace.wanted ? traceHeaders(request.trace) : {}),
    ...headers,
  });
}

/** Sends a whole body, a text as UTF-8. A HEAD request gets its headers only. */
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
  // Of ASCII every character is one byte of latin1.
  if (typeof sent !== 'string') endWhole(request, sent);
  else if (length !== sent.length || !joins(request, length)) endWhole(request, Buffer.from(sent));
  else request.res.end(sent, 'latin1');
}

/** Up to here copying costs less than what Node does for each piece of a write. */
const copiedBytes = 64 * 1024;

/**
 * True where an answer had better be one text. Node joins head and body into one write where both are, which takes a tenth
 * less of the processor than a text and a buffer.
 */
const joins = ({ req }: RequestContext, length: number): boolean =>
  req.httpVersionMajor === 1 && req.method !== 'HEAD' && length <= copiedBytes;

/** Ends an answer whose head is written but not sent. */
export function endWhole(request: RequestContext, body: Buffer): void {
  if (joins(request, body.length)) request.res.end(body.toString('latin1'), 'latin1');
  else request.res.end(request.req.method === 'HEAD' ? undefined : body);
}

/** So much is written in one go. */
const sliceBytes = 256 * 1024;

/**
 * Sends a body that is there in pieces, no faster than the client reads it: nothing is copied for a client that does
 * not. Resolves when all of it was handed over, or the client is gone.
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
    return await sendCompressed(request.res, slices(pieces));
  }
  head(request, code, { 'Content-Type': contentType, 'Content-Length': String(length) });
  await writePieces(request, pieces);
}

/** Writes what follows the head of an answer, no faster than the client reads it; nothing for a HEAD. */
export async function writePieces(request: RequestContext, pieces: readonly Uint8Array[]): Promise<void> {
  const { res } = request;
  if (request.req.method === 'HEAD') return void res.end();
  for (const slice of slices(pieces)) {
    if (res.destroyed) return;
    if (res.write(slice)) continue;
    const release = request.connection?.holdUnsent(slice.length);
    await drained(request);
    release?.();
  }
  res.end();
}

/** kube-apiserver compresses answers that are longer than this, where the client takes it. */
const compressedFrom = 128 * 1024;

const acceptsGzip = ({ req }: RequestContext): boolean =>
  String(req.headers['accept-encoding'] ?? '')
    .split(',')
    .some((token) => token.trim() === 'gzip');

/** The fastest level, as in kube-apiserver; the work is done beside the event loop. */
async function sendCompressed(res: ServerResponse, content: Iterable<Uint8Array>): Promise<void> {
  try {
    await pipeline(Readable.from(content), createGzip({ level: 1 }), res);
  } catch (error) {
    // The client went away; its connection tells everybody who wants to know.
    if (!res.destroyed) throw error;
  }
}

function* slices(pieces: readonly Uint8Array[]): Generator<Uint8Array> {
  let waiting: Uint8Array[] = [];
  let length = 0;
  for (const piece of pieces) {
    if (length === 0 && piece.length > sliceBytes) {
      // Parts of one piece share its memory, which may be that of the stored object.
      for (let at = 0; at < piece.length; at += sliceBytes) yield piece.subarray(at, at + sliceBytes);
      continue;
    }
    waiting.push(piece);
    length += piece.length;
    if (length < sliceBytes) continue;
    yield Buffer.concat(waiting, length);
    [waiting, length] = [[], 0];
  }
  if (length > 0) yield Buffer.concat(waiting, length);
}

const drained = ({ res }: RequestContext): Promise<void> =>
  new Promise((resolve) => {
    const done = () => {
      res.off('drain', done).off('close', done);
      resolve();
    };
    res.on('drain', done).on('close', done);
  });

const indented = (body: Buffer | string): Buffer => Buffer.from(stringifyJson(parseJson(body.toString()), 2));

/** Sends a JSON value as JSON, whatever the client accepts. */
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

/** Answers that there is nothing. */
export function sendNothing(request: RequestContext): void {
  head(request, 204, {});
  request.res.end();
}

/** kube's answer to a path that nobody serves. */
export const sendNotServed = (request: RequestContext): void =>
  sendText(request, 404, '404 page not found\n');

/** The one place where an error becomes an answer: a Status in a form the client accepts, JSON where it accepts none. */
export async function sendStatus(request: RequestContext, error: StatusError): Promise<void> {
  if (request.res.headersSent) {
    // Too late for a Status: an aborted connection at least tells the client that the answer is not whole.
    request.res.destroy(error);
    return;
  }
  traceRefusal(request.trace, error.status);
  const encoding = errorEncoding(request.req.headers.accept);
  // kube writes what nobody agreed on for people to read.
  if (encoding === undefined) {
    const text = stringifyJson(error.status, 2);
    return sendBody(request, error.code, 'application/json', Buffer.from(text), error.headers);
  }
  request.audit?.recordResponse(error.status);
  const { contentType, body } = await encodeAs(encoding, error.status as Status & Record<string, unknown>);
  sendBody(request, error.code, contentType, body, error.headers);
}

/** Starts a streamed answer. */
export function sendHead(request: RequestContext, code: number, contentType: string): void {
  head(request, code, { 'Content-Type': contentType });
  request.res.flushHeaders();
}
