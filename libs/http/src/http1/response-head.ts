import { Buffer } from 'node:buffer';
import { goQuote } from '@annex/machinery';
import { FieldLines } from '../exchange/field-lines.ts';
import { maxHeadLines, maxQuotedChars } from '../exchange/limits.ts';

/** The status line and the headers of a response. */
export interface ResponseHead {
  statusCode: number;
  /** The reason phrase, which may be empty. */
  statusMessage: string;
  headers: FieldLines;
  /** False for HTTP/1.0 and earlier versions, whose connections are not persistent. */
  isHttp11: boolean;
  /** False for versions without transfer encodings. Go reads HTTP/0.0 as a response that has them. */
  hasChunks: boolean;
}

/** A malformed or truncated HTTP/1.x response. The message is that of Go's net/http. */
export class MalformedResponse extends Error {
  /** The prefix of messages of Go's transport. */
  static readonly prefix = 'net/http: HTTP/1.x transport connection broken: ';
  override readonly name = 'MalformedResponse';
  /** Set if the response was well-formed but truncated. */
  code?: string;

  constructor(why: string) {
    super(MalformedResponse.prefix + why);
  }
}

/**
 * Returns the offset of the body after a head; `undefined` while the head is incomplete. Go accepts lines
 * with and without a carriage return (RFC 9112 section 2.2).
 */
export function headLength(text: string): number | undefined {
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) {
    if (text.startsWith('\n', at + 1)) return at + 2;
    if (text.startsWith('\r\n', at + 1)) return at + 3;
  }
  return undefined;
}

/**
 * Parses a head, up to its empty line, from bytes as latin1. Accepts what Go's net/http accepts (folded
 * lines, bare line feeds) and throws {@link MalformedResponse} with its message.
 */
export function parseHead(text: string): ResponseHead {
  const lineFeed = text.indexOf('\n');
  const statusLine = parseStatusLine(lineOf(text, 0, lineFeed));
  return { ...statusLine, headers: parseFields(text, lineFeed + 1) };
}

/**
 * Returns the error of a head that ended before its empty line; its last line counts as complete. `undefined`
 * if only the end is missing.
 */
export function faultOf(beginning: string): MalformedResponse | undefined {
  try {
    parseHead(`${beginning}\n\n`);
    return undefined;
  } catch (error) {
    return error as MalformedResponse;
  }
}

/**
 * Parses header lines up to an empty one in linear time. Throws {@link MalformedResponse}, also for more than
 * {@link maxHeadLines}; a folded line counts once per part.
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
    throw new MalformedResponse(`malformed MIME header initial line: ${quoted(line)}`);
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

/** Parses the status line; Go accepts a sign before the digits. Throws {@link MalformedResponse}. */
export function parseStatusLine(line: string): Omit<ResponseHead, 'headers'> {
  const found = /^HTTP\/(\d)\.(\d) +(\d{3}|\+\d\d|-00)(?: (.*))?$/.exec(line);
  if (found === null) throw new MalformedResponse(malformedStatus(line));
  const [, major, minor, code, statusMessage = ''] = found;
  const version = `${major}.${minor}`;
  const isHttp11 = version !== '1.0' && major !== '0';
  return {
    statusCode: Math.abs(Number(code)),
    statusMessage,
    isHttp11,
    hasChunks: isHttp11 || version === '0.0',
  };
}

function malformedStatus(line: string): string {
  const [, version, code] = /^([^ ]*) +([^ ]*)/.exec(line) ?? [];
  if (version === undefined || code === undefined) return `malformed HTTP response ${quoted(line)}`;
  if (!/^(?:\d{3}|\+\d\d|-00)$/.test(code)) return `malformed HTTP status code ${quoted(code)}`;
  return `malformed HTTP version ${quoted(version)}`;
}

// A field name is a token (RFC 9110 section 5.1), and a value has no control characters except tabs (section
// 5.5).
const field = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+:[\t\x20-\x7e\x80-\xff]*$/;

/** Names that Go parses but does not write: with spaces, for example before the colon. */
const spacedField = /^[!#$%&'*+\-.^_`|~0-9A-Za-z ]+:[\t\x20-\x7e\x80-\xff]*$/;

function addField(fields: FieldLines, line: string): void {
  const colon = line.indexOf(':');
  if (field.test(line)) return fields.add(line.slice(0, colon), trimmed(line, colon + 1));
  if (spacedField.test(line)) return;
  const what = colon < 0 ? 'malformed MIME header: missing colon' : 'malformed MIME header line';
  throw new MalformedResponse(`${what}: ${quoted(line)}`);
}

const isSpace = (code: number): boolean => code === 0x20 || code === 0x09;

const lineOf = (text: string, from: number, lineFeed: number): string =>
  text.slice(from, text.charCodeAt(lineFeed - 1) === 0x0d ? lineFeed - 1 : lineFeed);

/**
 * Removes surrounding spaces and tabs. Unlike String.trim, it keeps bytes of UTF-8 that are spaces in latin1.
 */
function trimmed(line: string, from = 0): string {
  let first = from;
  let end = line.length;
  while (isSpace(line.charCodeAt(first))) first++;
  while (end > first && isSpace(line.charCodeAt(end - 1))) end--;
  return line.slice(first, end);
}

/** Quotes bytes like Go, as UTF-8 if they are valid; at most the first {@link maxQuotedChars}. */
export const quoted = (latin1: string): string =>
  goQuote(Buffer.from(latin1.slice(0, maxQuotedChars), 'latin1').toString());

const tooManyLines = () =>
  new MalformedResponse(`net/http: server response headers exceeded ${maxHeadLines} lines; aborted`);
