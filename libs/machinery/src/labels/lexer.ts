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
const symbols = new Map<string, SelectorToken>(
  ([')', ',', '!', '==', '=', '>', '<', '!=', '('] as const).map((kind) => [kind, { kind, text: kind }]),
);
const isSpace = (char: string) => char === ' ' || char === '\t' || char === '\r' || char === '\n';

/** apimachinery's lexer uses NUL as the end of the text, also within a text. */
const nul = '\0';

const end: SelectorToken = { kind: 'end', text: '' };

/**
 * Splits a label selector into tokens as they are read; after the last one they are `end`. As in apimachinery, a NUL after a token ends
 * that token, and elsewhere the text.
 */
export class SelectorLexer {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  next(): SelectorToken {
    const text = this.#text;
    while (isSpace(text[this.#at] ?? '')) this.#at++;
    const char = text[this.#at] ?? nul;
    if (char === nul) return this.#end();
    const token = special.includes(char) ? this.#symbol(char) : this.#word();
    this.#at += token.text.length;
    if (text[this.#at] === nul) this.#at++;
    return token;
  }

  #end(): SelectorToken {
    this.#at = this.#text.length;
    return end;
  }

  #word(): SelectorToken {
    let next = this.#at;
    while (!endsWord(this.#text[next] ?? nul)) next++;
    const word = this.#text.slice(this.#at, next);
    return { kind: word === 'in' || word === 'notin' ? word : 'identifier', text: word };
  }

  // Returns the longest known symbol; every special character is a symbol, so there is always one.
  #symbol(char: string): SelectorToken {
    return symbols.get(char + (this.#text[this.#at + 1] ?? '')) ?? symbols.get(char) ?? end;
  }
}

const endsWord = (char: string): boolean => char === nul || special.includes(char) || isSpace(char);
