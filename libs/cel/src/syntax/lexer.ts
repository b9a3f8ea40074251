import { type Token, type TokenKind, tokenKinds } from './token.ts';

const escape =
  String.raw`\\(?:[abfnrtv"'\\?` +
  '`' +
  String.raw`]|[xX][\da-fA-F]{2}|u[\da-fA-F]{4}|U[\da-fA-F]{8}|[0-3][0-7]{2})`;
const quoted =
  `"""(?:${escape}|[^\\\\])*?"""|'''(?:${escape}|[^\\\\])*?'''` +
  `|"(?:${escape}|[^\\\\"\\n\\r])*"|'(?:${escape}|[^\\\\'\\n\\r])*'` +
  String.raw`|[rR]"""[^]*?"""|[rR]'''[^]*?'''|[rR]"[^"\n\r]*"|[rR]'[^'\n\r]*'`;
const float = String.raw`\d+\.\d+(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+|\.\d+(?:[eE][+-]?\d+)?`;
const punctuation = String.raw`==|!=|<=|>=|&&|\|\||[<>[\]{}().,\-!?:+*\/%]`;
const tokenPattern = new RegExp(
  String.raw`([\t \r\n\f]+|\/\/[^\n]*)` +
    `|([bB](?:${quoted}))|(${quoted})|([A-Za-z_][A-Za-z0-9_]*)|(${float})` +
    String.raw`|(0x[\da-fA-F]+[uU]|\d+[uU])|(0x[\da-fA-F]+|\d+)` +
    `|(\`[A-Za-z0-9_.\\-/ ]+\`)|(${punctuation})`,
  'y',
);
/** The token kinds of the pattern's groups. */
const groups = [
  'hidden',
  'BYTES',
  'STRING',
  'IDENTIFIER',
  'NUM_FLOAT',
  'NUM_UINT',
  'NUM_INT',
  'ESC_IDENTIFIER',
  'punctuation',
] as const;
/** The kinds of punctuation and keywords by their text. */
const textKinds: ReadonlyMap<string, TokenKind> = new Map(
  tokenKinds.filter((kind) => kind.startsWith("'")).map((kind) => [kind.slice(1, -1), kind]),
);

/** A range of the text in UTF-16 offsets. */
interface Span {
  readonly start: number;
  readonly end: number;
}

/** Splits an expression into tokens when they are read; reports and skips unrecognized characters. */
export class Lexer {
  readonly #text: string;
  readonly #reportError: (offset: number, message: string) => void;
  readonly #tokens: Token[] = [];
  readonly #unrecognized: Span[] = [];
  #at = 0;

  constructor(text: string, reportError: (offset: number, message: string) => void) {
    this.#text = text;
    this.#reportError = reportError;
  }

  /** Returns a token; the last one is `<EOF>`, which all later indices return too. */
  token(index: number): Token {
    while (index >= this.#tokens.length) {
      const last = this.#tokens.at(-1);
      if (last?.kind === '<EOF>') return last;
      this.#tokens.push(this.#next());
    }
    return this.#tokens[index]!;
  }

  #next(): Token {
    const text = this.#text;
    while (this.#at < text.length) {
      const at = this.#at;
      tokenPattern.lastIndex = at;
      const match = tokenPattern.exec(text);
      if (!match) {
        this.#skipUnrecognized(at);
        continue;
      }
      this.#at = tokenPattern.lastIndex;
      const token = match[0];
      const kind = kindOf(match, token);
      if (kind) return { kind, text: token, offset: at };
    }
    return { kind: '<EOF>', text: '<EOF>', offset: text.length };
  }

  #skipUnrecognized(start: number): void {
    const end = unrecognizedEnd(this.#text, start);
    this.#at = end;
    this.#unrecognized.push({ start, end });
    this.#reportError(start, `token recognition error at: '${this.#text.slice(start, end)}'`);
  }

  /** Returns a part of the text without unrecognized characters. */
  recognizedText(start: number, end: number): string {
    let text = '';
    let at = start;
    for (const span of this.#unrecognized) {
      if (span.start < at || span.start >= end) continue;
      text += this.#text.slice(at, span.start);
      at = span.end;
    }
    return text + this.#text.slice(at, end);
  }
}

function kindOf(match: RegExpExecArray, text: string): TokenKind | undefined {
  for (let i = 0; i < groups.length; i++) {
    if (match[i + 1] === undefined) continue;
    const group = groups[i]!;
    if (group === 'hidden') return undefined;
    if (group === 'punctuation') return textKinds.get(text);
    return (group === 'IDENTIFIER' ? textKinds.get(text) : undefined) ?? group;
  }
  return undefined;
}

const partialEscape = String.raw`\\(?:[xX][\da-fA-F]?|u[\da-fA-F]{0,3}|U[\da-fA-F]{0,7}|[0-3][0-7]?)?`;
/** Incomplete tokens: the character after one of them is not recognized. */
const partialPattern = new RegExp(
  `"(?:${escape}|[^\\\\"\\n\\r])*(?:${partialEscape})?` +
    `|'(?:${escape}|[^\\\\'\\n\\r])*(?:${partialEscape})?` +
    '|`[A-Za-z0-9_.\\-/ ]*|[=&|]',
  'y',
);

/** Returns the end of the unrecognized range: after the first character that continues no token. */
function unrecognizedEnd(text: string, at: number): number {
  partialPattern.lastIndex = at;
  const partial = partialPattern.exec(text)?.[0].length ?? 0;
  const end = at + partial;
  const failing = text.codePointAt(end);
  return failing === undefined ? end : end + (failing > 0xffff ? 2 : 1);
}
