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

/** apimachinery's lexer reads it at the end of a text, and takes one inside of a text for that end. */
const nul = '\0';

/**
 * Splits a label selector into tokens; the last one is `end`. As in apimachinery, a NUL behind a token ends that token, and
 * anywhere else the text.
 */
export function lexSelector(text: string): SelectorToken[] {
  const tokens: SelectorToken[] = [];
  let i = 0;
  while (i < text.length) {
    const char = text[i] ?? '';
    if (isSpace(char)) {
      i++;
      continue;
    }
    if (char === nul) break;
    const token = special.includes(char) ? symbolAt(text, i) : wordAt(text, i);
    tokens.push(token.token);
    i = text[token.next] === nul ? token.next + 1 : token.next;
  }
  tokens.push({ kind: 'end', text: '' });
  return tokens;
}

const endsWord = (char: string): boolean => special.includes(char) || isSpace(char) || char === nul;

function wordAt(text: string, start: number): { token: SelectorToken; next: number } {
  let next = start;
  while (next < text.length && !endsWord(text[next] ?? '')) next++;
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
