import type { FieldLines } from '../exchange/field-lines.ts';
import { listedNames } from '../header-list.ts';
import { type AnswerHead, MalformedAnswer, quoted } from './answer-head.ts';

/** How the end of a body is told, RFC 9112 section 6.3. */
export type Framing =
  | { by: 'length'; length: number }
  | { by: 'chunks' }
  /** The connection ends with it. */
  | { by: 'close' };

const noBody: Framing = { by: 'length', length: 0 };

/**
 * How the body of an answer is framed, as Go's net/http decides it. What two readers could read otherwise is refused
 * ({@link MalformedAnswer}) or taken out of the headers: a length beside chunks, and one that is said twice.
 */
export function framingOf({ statusCode, headers, isHttp11 }: AnswerHead, method: string): Framing {
  const chunked = isChunked(headers, isHttp11);
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

/** True where the backend lets its connection be used again. */
export function keepsConnection({ headers, isHttp11 }: AnswerHead): boolean {
  const connection = headers.get('connection');
  if (connection === undefined) return isHttp11;
  const says = (token: string) => connection.split(',').some((part) => part.trim().toLowerCase() === token);
  return !says('close') && (isHttp11 || says('keep-alive'));
}

/** What frames a body cannot come after it. */
const badTrailers = new Map(
  ['Transfer-Encoding', 'Trailer', 'Content-Length'].map((name) => [name.toLowerCase(), name]),
);

function checkTrailer(trailer: string | undefined): void {
  const bad = [...listedNames(trailer)].find((name) => badTrailers.has(name));
  if (bad !== undefined) throw new MalformedAnswer(`bad trailer key "${badTrailers.get(bad)}"`);
}

function isChunked(headers: FieldLines, isHttp11: boolean): boolean {
  const coding = headers.get('transfer-encoding');
  if (coding === undefined) return false;
  const codings = headers.all('transfer-encoding');
  headers.set('transfer-encoding', undefined);
  if (!isHttp11) return false;
  if (codings.length > 1) throw new MalformedAnswer(`too many transfer encodings: ${quotedList(codings)}`);
  if (coding.toLowerCase() === 'chunked') return true;
  throw new MalformedAnswer(`unsupported transfer encoding: ${quoted(coding)}`);
}

function contentLength(headers: FieldLines): number | undefined {
  let text = headers.get('content-length');
  if (text === undefined) return undefined;
  const lengths = text.includes(',') ? headers.all('content-length') : [text];
  if (lengths.length > 1) {
    if (lengths.some((other) => other !== lengths[0])) {
      const why = `http: message cannot contain multiple Content-Length headers; got ${quotedList(lengths)}`;
      throw new MalformedAnswer(why);
    }
    text = lengths[0] as string;
    headers.set('content-length', text);
  }
  if (text === '') throw new MalformedAnswer('invalid empty Content-Length ""');
  // Beyond what a number can count nobody sends that much: the connection ends before.
  if (/^\d+$/.test(text) && (text.length < 16 || BigInt(text) <= maxLength)) return Number(text);
  throw new MalformedAnswer(`bad Content-Length ${quoted(text)}`);
}

const maxLength = 2n ** 63n - 1n;

const quotedList = (texts: readonly string[]): string => `[${texts.map(quoted).join(' ')}]`;
