/** The kinds of tokens in the `labelSelector` query parameter. */
export type SelectorTokenKind =
  'end' | 'error' | 'identifier' | 'in' | 'notin' | ')' | '(' | ',' | '!' | '==' | '=' | '!=' | '>' | '<';

/** One token with its text. */
export interface SelectorToken {
  readonly kind: SelectorTokenKind;
  readonly text: string;
}

const special = '=!(),><';
const symbols: ReadonlySet<string> = new Set([')', ',', '!', '==', '=', '>', '<', '!=', '(']);
const isSpace = (char: string) => char === ' ' || char === '\t' || char === '\r' || char === '\n';

/** Splits a label selector into tokens; the last one is `end`. A NUL ends the text, as in apimachinery. */
export function lexSelector(input: string): SelectorToken[] {
  const nul = input.indexOf('\0');
  const text = nul < 0 ? input : input.slice(0, nul);
  const tokens: SelectorToken[] = [];
  let i = 0;
  while (i < text.length) {
    const char = text[i] ?? '';
    if (isSpace(char)) {
      i++;
      continue;
    }
    const token = special.includes(char) ? symbolAt(text, i) : wordAt(text, i);
    tokens.push(token.token);
    i = token.next;
  }
  tokens.push({ kind: 'end', text: '' });
  return tokens;
}

function wordAt(text: string, start: number): { token: SelectorToken; next: number } {
  let next = start;
  while (next < text.length && !special.includes(text[next] ?? '') && !isSpace(text[next] ?? '')) next++;
  const word = text.slice(start, next);
  const kind = word === 'in' || word === 'notin' ? word : 'identifier';
  return { token: { kind, text: word }, next };
}

// The longest known symbol; every single special character is one, so this cannot fail.
function symbolAt(text: string, start: number): { token: SelectorToken; next: number } {
  const two = text.slice(start, start + 2);
  const symbol = symbols.has(two) ? two : text.slice(start, start + 1);
  return { token: { kind: symbol as SelectorTokenKind, text: symbol }, next: start + symbol.length };
}
