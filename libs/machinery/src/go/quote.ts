const escapes: ReadonlyMap<string, string> = new Map([
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
const printable = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u;

/** A text as Go's `%q` prints it: in double quotes, with what cannot be printed escaped in Go's way. */
export function goQuote(text: string): string {
  if (plain.test(text)) return `"${text}"`;
  return `"${Array.from(text, quoteRune).join('')}"`;
}

/** A list of texts as Go's `%q` prints it: `["a" "b"]`. */
export const goQuoteList = (list: readonly string[]): string => `[${list.map(goQuote).join(' ')}]`;

function quoteRune(rune: string): string {
  const known = escapes.get(rune);
  if (known !== undefined) return known;
  if (printable.test(rune)) return rune;
  const code = rune.codePointAt(0) ?? 0;
  if (code < 0x80) return `\\x${hex(code, 2)}`;
  // A byte that is no UTF-8: see bytes.ts.
  if (code >= 0xdc80 && code <= 0xdcff) return `\\x${hex(code - 0xdc00, 2)}`;
  return code < 0x10000 ? `\\u${hex(code, 4)}` : `\\U${hex(code, 8)}`;
}

const hex = (code: number, width: number): string => code.toString(16).padStart(width, '0');
