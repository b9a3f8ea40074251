/** The kinds of tokens in the `labelSelector` query parameter. */
export type SelectorTokenKind =
  | 'end'
  | 'error'
  | 'identifier'
  | 'in'
  | 'notin'
  | ')'
  | '('
  | ','
  | '!'
  | '=='
  | '='
  | '!='
  | '>'
  | '<';

/** One token with its text. */
export interface SelectorToken {
  readonly kind: SelectorTokenKind;
  readonly text: string;
}

const special = '=!(),><';
const symbols: ReadonlySet<string> = new Set([')', ',', '!', '==', '=', '>', '<', '!=', '(']);
const isSpace = (char: string) => char === ' ' || char === '\t' || char === '\r' || char === '\n';

/** apimachinery's lexer uses NUL as the end of the text, also within a text. */
const nul = '\0';

/**
 * Splits a label selector into tokens as they are read; the last one is `end`. As in apimachinery, a NUL after a token ends
 * that token, and elsewhere the text.
 */
export function* lexSelector(text: string): Generator<SelectorToken, void, undefined> {
  let i = 0;
  while (i < text.length) {
    const char = text[i] ?? '';
    if (isSpace(char)) {
      i++;
      continue;
    }
    if (char === nul) break;
    const token = special.includes(char) ? symbolAt(text, i) : wordAt(text, i);
    yield token.token;
    i = text[token.next] === nul ? token.next + 1 : token.next;
  }
  yield { kind: 'end', text: '' };
}

const endsWord = (char: string): boolean => special.includes(char) || isSpace(char) || char === nul;

function wordAt(text: string, start: number): { token: SelectorToken; next: number } {
  let next = start;
  while (next < text.length && !endsWord(text[next] ?? '')) next++;
  const word = text.slice(start, next);
  const kind = word === 'in' || word === 'notin' ? word : 'identifier';
  return { token: { kind, text: word }, next };
}

// Returns the longest known symbol; every special character is a symbol, so there is always one.
function symbolAt(text: string, start: number): { token: SelectorToken; next: number } {
  const two = text.slice(start, start + 2);
  const symbol = symbols.has(two) ? two : text.slice(start, start + 1);
  return { token: { kind: symbol as SelectorTokenKind, text: symbol }, next: start + symbol.length };
}
