import type { FieldLines } from '../exchange/field-lines.ts';
import { listedNames } from '../header-list.ts';
import { type ResponseHead, MalformedResponse, quoted } from './response-head.ts';

/** How the end of a body is determined, RFC 9112 section 6.3. */
export type Framing =
  | { by: 'length'; length: number }
  | { by: 'chunks' }
  /** The body ends with the connection. */
  | { by: 'close' };

const noBody: Framing = { by: 'length', length: 0 };

/**
 * Determines the framing of a response body like Go's net/http. Ambiguous framing is refused (
 * {@link MalformedResponse}) or removed from the headers: a length with chunks, and a repeated length.
 */
export function framingOf({ statusCode, headers, hasChunks }: ResponseHead, method: string): Framing {
  const chunked = isChunked(headers, hasChunks);
  const length = contentLength(headers);
  if (chunked) checkTrailer(headers.get('trailer'));
  const hasBody = (statusCode < 100 || statusCode >= 200) && statusCode !== 204 && statusCode !== 304;
  if (method === 'HEAD' || !hasBody) return noBody;
  if (chunked) {
    if (length !== undefined) headers.set('content-length', undefined);
    return { by: 'chunks' };
  }
  return length === undefined ? { by: 'close' } : { by: 'length', length };
}

/** True if the backend allows reuse of its connection. */
export function keepsConnection({ headers, isHttp11 }: ResponseHead): boolean {
  const connection = headers.get('connection');
  if (connection === undefined) return isHttp11;
  const hasToken = (token: string) =>
    connection.split(',').some((part) => part.trim().toLowerCase() === token);
  return !hasToken('close') && (isHttp11 || hasToken('keep-alive'));
}

/** Framing headers are invalid as trailers. */
const badTrailers = new Map(
  ['Transfer-Encoding', 'Trailer', 'Content-Length'].map((name) => [name.toLowerCase(), name]),
);

function checkTrailer(trailer: string | undefined): void {
  const bad = [...listedNames(trailer)].find((name) => badTrailers.has(name));
  if (bad !== undefined) throw new MalformedResponse(`bad trailer key "${badTrailers.get(bad)}"`);
}

function isChunked(headers: FieldLines, hasChunks: boolean): boolean {
  const coding = headers.get('transfer-encoding');
  if (coding === undefined) return false;
  const codings = headers.all('transfer-encoding');
  headers.set('transfer-encoding', undefined);
  if (!hasChunks) return false;
  if (codings.length > 1) throw new MalformedResponse(`too many transfer encodings: ${quotedList(codings)}`);
  if (coding.toLowerCase() === 'chunked') return true;
  throw new MalformedResponse(`unsupported transfer encoding: ${quoted(coding)}`);
}

function contentLength(headers: FieldLines): number | undefined {
  let text = headers.get('content-length');
  if (text === undefined) return undefined;
  const lengths = text.includes(',') ? headers.all('content-length') : [text];
  if (lengths.length > 1) {
    if (lengths.some((other) => other !== lengths[0])) {
      const why = `http: message cannot contain multiple Content-Length headers; got ${quotedList(lengths)}`;
      throw new MalformedResponse(why);
    }
    text = lengths[0] as string;
    headers.set('content-length', text);
  }
  if (text === '') throw new MalformedResponse('invalid empty Content-Length ""');
  // Longer bodies than a safe integer do not occur in practice: the connection ends before.
  if (/^\d+$/.test(text) && (text.length < 16 || BigInt(text) <= maxLength)) return Number(text);
  throw new MalformedResponse(`bad Content-Length ${quoted(text)}`);
}

const maxLength = 2n ** 63n - 1n;

const quotedList = (texts: readonly string[]): string => `[${texts.map(quoted).join(' ')}]`;
