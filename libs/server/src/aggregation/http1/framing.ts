import { listedNames } from '../forward-headers.ts';
import { type AnswerHead, type AnswerHeaders, MalformedAnswer, quoted } from './answer-head.ts';

type Fields = Pick<AnswerHead, 'statusCode' | 'rawHeaders' | 'headers'>;

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
export function framingOf(head: Fields, isHttp11: boolean, method: string): Framing {
  const chunked = isChunked(head, isHttp11);
  const length = contentLength(head);
  if (chunked) checkTrailer(head.headers.trailer);
  if (method === 'HEAD' || head.statusCode < 200 || head.statusCode === 204 || head.statusCode === 304)
    return noBody;
  if (chunked) {
    if (length !== undefined) setHeader(head, 'content-length', undefined);
    return { by: 'chunks' };
  }
  return length === undefined ? { by: 'close' } : { by: 'length', length };
}

/** True where the backend lets its connection be used again. */
export function keepsConnection({ connection }: AnswerHeaders, isHttp11: boolean): boolean {
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

function isChunked(head: Fields, isHttp11: boolean): boolean {
  const coding = head.headers['transfer-encoding'];
  if (coding === undefined) return false;
  const codings = valuesOf(head, 'transfer-encoding');
  setHeader(head, 'transfer-encoding', undefined);
  if (!isHttp11) return false;
  if (codings.length > 1) throw new MalformedAnswer(`too many transfer encodings: ${quotedList(codings)}`);
  if (coding.toLowerCase() === 'chunked') return true;
  throw new MalformedAnswer(`unsupported transfer encoding: ${quoted(coding)}`);
}

function contentLength(head: Fields): number | undefined {
  let text = head.headers['content-length'];
  if (text === undefined) return undefined;
  const lengths = text.includes(',') ? valuesOf(head, 'content-length') : [text];
  if (lengths.length > 1) {
    if (lengths.some((other) => other !== lengths[0])) {
      const why = `http: message cannot contain multiple Content-Length headers; got ${quotedList(lengths)}`;
      throw new MalformedAnswer(why);
    }
    text = lengths[0] as string;
    setHeader(head, 'content-length', text);
  }
  if (text === '') throw new MalformedAnswer('invalid empty Content-Length ""');
  // Beyond what a number can count nobody sends that much: the connection ends before.
  if (/^\d+$/.test(text) && BigInt(text) <= maxLength) return Number(text);
  throw new MalformedAnswer(`bad Content-Length ${quoted(text)}`);
}

const maxLength = 2n ** 63n - 1n;

const quotedList = (texts: readonly string[]): string => `[${texts.map(quoted).join(' ')}]`;

const valuesOf = ({ rawHeaders }: Fields, lowerName: string): string[] =>
  rawHeaders.filter((_, i) => i % 2 === 1 && rawHeaders[i - 1]?.toLowerCase() === lowerName);

/** Sets a header to one value, or takes it out. */
function setHeader(head: Fields, lowerName: string, value: string | undefined): void {
  const kept: string[] = [];
  const { rawHeaders } = head;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] as string;
    if (name.toLowerCase() !== lowerName) kept.push(name, rawHeaders[i + 1] as string);
  }
  head.rawHeaders = value === undefined ? kept : [...kept, lowerName, value];
  head.headers[lowerName] = value;
}
