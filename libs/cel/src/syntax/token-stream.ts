import type { Lexer } from './lexer.ts';
import type { Token, TokenKind } from './token.ts';

/** The tokens from the next one on. */
export class TokenStream {
  readonly #text: string;
  readonly #lexer: Lexer;
  #next: Token;
  /** The index of the next token. */
  at = 0;

  constructor(text: string, lexer: Lexer) {
    this.#text = text;
    this.#lexer = lexer;
    this.#next = lexer.token(0);
  }

  token(ahead: number): Token {
    return ahead === 0 ? this.#next : this.#lexer.token(this.at + ahead);
  }

  kind(ahead: number): TokenKind {
    return this.token(ahead).kind;
  }

  /** Moves to the token after the next one; returns the latter. */
  consume(): Token {
    const token = this.#next;
    if (token.kind !== '<EOF>') this.#next = this.#lexer.token(++this.at);
    return token;
  }

  /** Returns the text from the next token to the end of one after it. */
  textTo(ahead: number): string {
    const start = this.token(0);
    if (start.kind === '<EOF>') return start.text;
    const last = this.token(ahead);
    const end = last.kind === '<EOF>' ? this.#text.length : last.offset + last.text.length;
    return this.#lexer.recognizedText(start.offset, end);
  }
}
