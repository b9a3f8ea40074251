import { Buffer } from 'node:buffer';
import { goQuote } from '@annex/machinery';
import { FieldLines } from '../exchange/field-lines.ts';
import { maxHeadLines, maxQuotedChars } from '../exchange/limits.ts';

/** The status line and the headers of an answer. */
export interface AnswerHead {
  statusCode: number;
  /** The reason phrase, which may be empty. */
  statusMessage: string;
  headers: FieldLines;
  /** False for HTTP/1.0, which knows neither chunks nor kept connections. */
  isHttp11: boolean;
}

/** What a backend sent is no answer of HTTP/1.x, or ended too early. The message is that of Go's net/http. */
export class MalformedAnswer extends Error {
  /** How Go's transport begins its messages. */
  static readonly prefix = 'net/http: HTTP/1.x transport connection broken: ';
  override readonly name = 'MalformedAnswer';
  /** Set where it was well-formed so far, but ended. */
  code?: string;

  constructor(why: string) {
    super(MalformedAnswer.prefix + why);
  }
}

/**
 * Where the body begins in a text that begins with a head; `undefined` while the head is not all there. Go reads lines with and
 * without a carriage return (RFC 9112 section 2.2).
 */
export function headLength(text: string): number | undefined {
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) {
    if (text.startsWith('\n', at + 1)) return at + 2;
    if (text.startsWith('\r\n', at + 1)) return at + 3;
  }
  return undefined;
}

/**
 * Reads a head, to the empty line that ends it, from bytes as latin1. Reads what Go's net/http reads (folded lines, line
 * feeds alone) and throws {@link MalformedAnswer} with its words.
 */
export function parseHead(text: string): AnswerHead {
  const lineFeed = text.indexOf('\n');
  const { statusCode, statusMessage, isHttp11 } = parseStatusLine(lineOf(text, 0, lineFeed));
  return { statusCode, statusMessage, isHttp11, headers: parseFields(text, lineFeed + 1) };
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

/**
 * Reads header lines up to an empty one, each character a fixed number of times. Throws {@link MalformedAnswer}, also where there
 * are more than {@link maxHeadLines}; a folded line counts each of its parts.
 */
export function parseFields(text: string, from = 0): FieldLines {
  const fields = new FieldLines();
  let lines = 0;
  const nextLine = (at: number): number => {
    if (++lines > maxHeadLines) throw tooManyLines();
    return text.indexOf('\n', at);
  };
  if (isSpace(text.charCodeAt(from))) {
    const line = lineOf(text, from, text.indexOf('\n', from));
    throw new MalformedAnswer(`malformed MIME header initial line: ${quoted(line)}`);
  }
  for (let at = from; ;) {
    let end = nextLine(at);
    const line = lineOf(text, at, end);
    if (line === '') return fields;
    let folded: string[] | undefined;
    // What has no name by its first line is refused with that line.
    while (line.includes(':') && isSpace(text.charCodeAt(end + 1))) {
      const next = nextLine(end + 1);
      (folded ??= [trimmed(line)]).push(trimmed(lineOf(text, end + 1, next)));
      end = next;
    }
    addField(fields, folded === undefined ? line : folded.join(' '));
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
const field = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+:[\t\x20-\x7e\x80-\xff]*$/;

/** What Go reads and then drops where it writes it: a name with spaces, such as one before the colon. */
const spacedField = /^[!#$%&'*+\-.^_`|~0-9A-Za-z ]+:[\t\x20-\x7e\x80-\xff]*$/;

function addField(fields: FieldLines, line: string): void {
  const colon = line.indexOf(':');
  if (field.test(line)) return fields.add(line.slice(0, colon), trimmed(line, colon + 1));
  if (spacedField.test(line)) return;
  const what = colon < 0 ? 'malformed MIME header: missing colon' : 'malformed MIME header line';
  throw new MalformedAnswer(`${what}: ${quoted(line)}`);
}

const isSpace = (code: number): boolean => code === 0x20 || code === 0x09;

const lineOf = (text: string, from: number, lineFeed: number): string =>
  text.slice(from, text.charCodeAt(lineFeed - 1) === 0x0d ? lineFeed - 1 : lineFeed);

/** Without the spaces and tabs around it. Not String.trim: a byte of UTF-8 may be one of its spaces in latin1. */
function trimmed(line: string, from = 0): string {
  let first = from;
  let end = line.length;
  while (isSpace(line.charCodeAt(first))) first++;
  while (end > first && isSpace(line.charCodeAt(end - 1))) end--;
  return line.slice(first, end);
}

/** Bytes as Go quotes them, as UTF-8 where they are that; no more than the first {@link maxQuotedChars}. */
export const quoted = (latin1: string): string =>
  goQuote(Buffer.from(latin1.slice(0, maxQuotedChars), 'latin1').toString());

const tooManyLines = () =>
  new MalformedAnswer(`net/http: server response headers exceeded ${maxHeadLines} lines; aborted`);
