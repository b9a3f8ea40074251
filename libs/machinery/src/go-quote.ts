const named: Readonly<Record<string, string>> = {
  '\u0007': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
  '"': '\\"',
  '\\': '\\\\',
};

const plain = /^[\x20-\x21\x23-\x5b\x5d-\x7e]*$/;
const printable = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u;

/** A text as Go's `%q` prints it: in double quotes, with what cannot be printed escaped in Go's way. */
export function goQuote(text: string): string {
  if (plain.test(text)) return `"${text}"`;
  return `"${Array.from(text, quoteRune).join('')}"`;
}

function quoteRune(rune: string): string {
  const known = named[rune];
  if (known !== undefined) return known;
  if (printable.test(rune)) return rune;
  const code = rune.codePointAt(0) ?? 0;
  const hex = code.toString(16);
  if (code < 0x80) return `\\x${hex.padStart(2, '0')}`;
  return code < 0x10000 ? `\\u${hex.padStart(4, '0')}` : `\\U${hex.padStart(8, '0')}`;
}
