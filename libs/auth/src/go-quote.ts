const escapes: Readonly<Record<string, string>> = {
  '"': '\\"',
  '\\': '\\\\',
  '\x07': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
};

/** A string as Go's `%q` prints it. */
export function goQuote(text: string): string {
  // Most names need no escape at all.
  if (/^[ !#-[\]-~]*$/.test(text)) return `"${text}"`;
  return `"${[...text].map(quoteRune).join('')}"`;
}

function quoteRune(rune: string): string {
  const known = escapes[rune];
  if (known !== undefined) return known;
  const code = rune.codePointAt(0) as number;
  if (code < 0x20 || code === 0x7f) return `\\x${hex(code, 2)}`;
  // Go escapes what is not printable: anything but letters, marks, numbers, punctuation, symbols and the plain space.
  if (/^[\p{L}\p{M}\p{N}\p{P}\p{S}]$/u.test(rune) || rune === ' ') return rune;
  return code > 0xffff ? `\\U${hex(code, 8)}` : `\\u${hex(code, 4)}`;
}

const hex = (code: number, width: number): string => code.toString(16).padStart(width, '0');

/** A list of strings as Go's `%q` prints it: `["a" "b"]`. */
export const goQuoteList = (list: readonly string[]): string => `[${list.map(goQuote).join(' ')}]`;
