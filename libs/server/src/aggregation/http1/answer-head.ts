import { Buffer } from 'node:buffer';
import { goQuote } from '@annex/machinery';

/** The status line and the headers of an answer. */
export interface AnswerHead {
  statusCode: number;
  /** The reason phrase, which may be empty. */
  statusMessage: string;
  /** Names and values by turns, as they were sent. */
  rawHeaders: string[];
  headers: AnswerHeaders;
  /** False for HTTP/1.0, which knows neither chunks nor kept connections. */
  isHttp11: boolean;
}

/** Headers by lower-case name, the values of one name joined by a comma. Without a prototype: one may be called `constructor`. */
export type AnswerHeaders = Record<string, string | undefined>;

/** What a backend sent is no answer of HTTP/1.x, or ended too early. The message is that of Go's net/http. */
export class MalformedAnswer extends Error {
  override readonly name = 'MalformedAnswer';
  /** Set where it was well-formed so far, but ended. */
  code?: string;

  constructor(why: string) {
    super(`net/http: HTTP/1.x transport connection broken: ${why}`);
  }
}

/** The limit of Go's transport. */
export const maxHeadBytes = 10 * 1024 * 1024;

// Go reads lines with and without a carriage return (RFC 9112 section 2.2).
const endOfHead = /\n\r?\n/;

/** Where the body begins in a text that begins with a head; `undefined` while the head is not all there. */
export function headLength(text: string): number | undefined {
  const found = endOfHead.exec(text);
  return found === null ? undefined : found.index + found[0].length;
}

/**
 * Reads a head, to the empty line that ends it, from bytes as latin1. Reads what Go's net/http reads (folded lines, line
 * feeds alone) and throws {@link MalformedAnswer} with its words.
 */
export function parseHead(text: string): AnswerHead {
  const lineFeed = text.indexOf('\n');
  const status = parseStatusLine(lineOf(text, 0, lineFeed));
  return { ...status, ...parseFields(text, lineFeed + 1) };
}

/**
 * What is wrong with a head that ended before its empty line: the line that it ended in counts as a whole one. `undefined`
 * where nothing is wrong but the end.
 */
export function faultOf(beginning: string): MalformedAnswer | undefined {
  try {
    parseHead(`${beginning}\n\n`);
    return undefined;
  } catch (error) {
    return error as MalformedAnswer;
  }
}

/** Reads header lines up to an empty one. Throws {@link MalformedAnswer}. */
export function parseFields(text: string, from = 0): Pick<AnswerHead, 'rawHeaders' | 'headers'> {
  const fields = { rawHeaders: [], headers: Object.create(null) as AnswerHeaders };
  if (isSpace(text[from])) {
    const line = lineOf(text, from, text.indexOf('\n', from));
    throw new MalformedAnswer(`malformed MIME header initial line: ${quoted(line)}`);
  }
  for (let at = from; ;) {
    let end = text.indexOf('\n', at);
    let line = lineOf(text, at, end);
    if (line === '') return fields;
    while (isSpace(text[end + 1])) {
      const next = text.indexOf('\n', end + 1);
      line = `${trimmed(line)} ${trimmed(lineOf(text, end + 1, next))}`;
      end = next;
    }
    addField(fields, line);
    at = end + 1;
  }
}

/** Reads the first line of an answer. Throws {@link MalformedAnswer}. */
export function parseStatusLine(line: string): Pick<AnswerHead, 'statusCode' | 'statusMessage' | 'isHttp11'> {
  const found = /^HTTP\/(\d)\.(\d) +(\d{3}|\+\d\d)(?: (.*))?$/.exec(line);
  if (found === null) throw new MalformedAnswer(malformedStatus(line));
  const [, major, minor, code, statusMessage = ''] = found;
  return {
    statusCode: Number(code),
    statusMessage,
    isHttp11: `${major}.${minor}` !== '1.0' && major !== '0',
  };
}

function malformedStatus(line: string): string {
  const [, version, code] = /^([^ ]*) +([^ ]*)/.exec(line) ?? [];
  if (version === undefined || code === undefined) return `malformed HTTP response ${quoted(line)}`;
  if (!/^(?:\d{3}|\+\d\d)$/.test(code)) return `malformed HTTP status code ${quoted(code)}`;
  return `malformed HTTP version ${quoted(version)}`;
}

// A field name is a token (RFC 9110 section 5.1), and a value has no control characters but tabs (section 5.5).
const field = /^([!#$%&'*+\-.^_`|~0-9A-Za-z]+):[ \t]*([\t\x20-\x7e\x80-\xff]*)$/;

/** What Go reads and then drops where it writes it: a name with spaces, such as one before the colon. */
const spacedField = /^[!#$%&'*+\-.^_`|~0-9A-Za-z ]+:[\t\x20-\x7e\x80-\xff]*$/;

function addField({ rawHeaders, headers }: Pick<AnswerHead, 'rawHeaders' | 'headers'>, line: string): void {
  const found = field.exec(line);
  if (found === null) {
    if (spacedField.test(line)) return;
    const what = line.includes(':') ? 'malformed MIME header line' : 'malformed MIME header: missing colon';
    throw new MalformedAnswer(`${what}: ${quoted(line)}`);
  }
  const name = found[1] as string;
  const value = (found[2] as string).trimEnd();
  const lower = name.toLowerCase();
  const before = headers[lower];
  rawHeaders.push(name, value);
  headers[lower] = before === undefined ? value : `${before}, ${value}`;
}

const isSpace = (char: string | undefined): boolean => char === ' ' || char === '\t';

const lineOf = (text: string, from: number, lineFeed: number): string =>
  text.slice(from, text[lineFeed - 1] === '\r' ? lineFeed - 1 : lineFeed);

const trimmed = (line: string): string => line.replace(/^[ \t]+|[ \t]+$/g, '');

/** Bytes as Go quotes them: as UTF-8 where they are that. */
export const quoted = (latin1: string): string => goQuote(Buffer.from(latin1, 'latin1').toString());
