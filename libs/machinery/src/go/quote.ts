/** Go's escapes of single characters in a quoted text. */
export const goEscapes: ReadonlyMap<string, string> = new Map([
  ['\u0007', '\\a'],
  ['\b', '\\b'],
  ['\f', '\\f'],
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
  ['\v', '\\v'],
  ['"', '\\"'],
  ['\\', '\\\\'],
]);

const plain = /^[\x20-\x21\x23-\x5b\x5d-\x7e]*$/;
/** The characters that are escaped: quotes, backslashes and what is not printable. */
const escaped = /["\\]|[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu;

/** Quotes a text like Go's `%q`: in double quotes, with Go's escapes for unprintable characters. */
export const goQuote = (text: string): string =>
  `"${plain.test(text) ? text : text.replace(escaped, escapeRune)}"`;

/** Quotes a list of texts like Go's `%q`: `["a" "b"]`. */
export const goQuoteList = (list: readonly string[]): string => `[${list.map(goQuote).join(' ')}]`;

function escapeRune(rune: string): string {
  const known = goEscapes.get(rune);
  if (known !== undefined) return known;
  const code = rune.codePointAt(0) ?? 0;
  if (code < 0x80) return `\\x${hex(code, 2)}`;
  // An invalid UTF-8 byte: see bytes.ts.
  if (code >= 0xdc80 && code <= 0xdcff) return `\\x${hex(code - 0xdc00, 2)}`;
  return code < 0x10000 ? `\\u${hex(code, 4)}` : `\\U${hex(code, 8)}`;
}

const hex = (code: number, width: number): string => code.toString(16).padStart(width, '0');
