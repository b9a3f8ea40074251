import { tableOf } from '@annex/machinery';
const simpleEscapes = tableOf({
  a: 7,
  b: 8,
  f: 12,
  n: 10,
  r: 13,
  t: 9,
  v: 11,
  '\\': 92,
  "'": 39,
  '"': 34,
  '`': 96,
  '?': 63,
});

/** Reports a literal with an invalid escape sequence. */
export class UnescapeError extends Error {}

/** Returns the text of a string literal. */
export function unescapeString(literal: string): string {
  const { body, raw } = unquote(literal);
  if (raw || !body.includes('\\')) return body;
  let text = '';
  scan(
    body,
    (chunk) => (text += chunk),
    (code, width) => {
      if (width > 0 && (code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)))
        throw new UnescapeError('invalid unicode code point');
      text += String.fromCodePoint(code);
    },
  );
  return text;
}

/** Returns the bytes of a bytes literal, without its `b` prefix. */
export function unescapeBytes(literal: string): Uint8Array {
  const { body, raw } = unquote(literal);
  const encoder = new TextEncoder();
  if (raw || !body.includes('\\')) return encoder.encode(body);
  const bytes: number[] = [];
  scan(
    body,
    (chunk) => bytes.push(...encoder.encode(chunk)),
    (code, width) => {
      if (width > 2) throw new UnescapeError('unable to unescape string');
      bytes.push(code);
    },
  );
  return Uint8Array.from(bytes);
}

function unquote(literal: string): { body: string; raw: boolean } {
  const text = literal.includes('\r') ? literal.replaceAll('\r\n', '\n').replaceAll('\r', '\n') : literal;
  const raw = text[0] === 'r' || text[0] === 'R';
  const inner = raw ? text.slice(1) : text;
  const quotes = inner.length >= 6 && (inner.startsWith('"""') || inner.startsWith("'''")) ? 3 : 1;
  return { body: inner.slice(quotes, -quotes), raw };
}

/** Calls `plain` for text without escapes, and `escaped` with a code and its number of hexadecimal digits. */
function scan(
  body: string,
  plain: (chunk: string) => void,
  escaped: (code: number, width: number) => void,
): void {
  let at = 0;
  while (at < body.length) {
    const backslash = body.indexOf('\\', at);
    if (backslash !== at) {
      plain(body.slice(at, backslash < 0 ? undefined : backslash));
      if (backslash < 0) return;
    }
    at = scanEscape(body, backslash + 1, escaped);
  }
}

const hexWidths = tableOf({ x: 2, X: 2, u: 4, U: 8 });

function scanEscape(body: string, at: number, escaped: (code: number, width: number) => void): number {
  const c = body[at]!;
  const simple = simpleEscapes.get(c);
  if (simple !== undefined) {
    escaped(simple, 0);
    return at + 1;
  }
  const width = hexWidths.get(c);
  const digits = width === undefined ? body.slice(at, at + 3) : body.slice(at + 1, at + 1 + width);
  escaped(parseInt(digits, width === undefined ? 8 : 16), width ?? 2);
  return at + (width === undefined ? 3 : 1 + width);
}
