import { DividedVisit, type Passes } from '@annex/machinery';
import { type Issue, maxExpressionErrors } from './source.ts';
import type { Token, TokenKind } from './token.ts';

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
const keywords: ReadonlySet<string> = new Set(['in', 'true', 'false', 'null']);

/** A range of the text in UTF-16 offsets. */
interface Span {
  readonly start: number;
  readonly end: number;
}

/** The tokens of an expression. */
export interface Tokens {
  readonly tokens: readonly Token[];
  /** The unrecognized ranges, in order. */
  readonly unrecognized: readonly Span[];
}

/** Splits an expression into tokens, the last one `<EOF>`; reports and skips unrecognized characters. */
export function* tokenize(text: string, issues: Issue[]): Passes<Tokens> {
  const visit = new DividedVisit();
  const tokens: Token[] = [];
  const unrecognized: Span[] = [];
  let at = 0;
  while (at < text.length) {
    if (visit.exceeds()) yield* visit.next();
    tokenPattern.lastIndex = at;
    const match = tokenPattern.exec(text);
    if (!match) {
      const end = unrecognizedEnd(text, at);
      // Errors beyond those that are displayed are only counted.
      const isDisplayed = issues.length < maxExpressionErrors;
      const message = isDisplayed ? `Syntax error: token recognition error at: '${text.slice(at, end)}'` : '';
      issues.push({ offset: at, message });
      unrecognized.push({ start: at, end });
      at = end;
      continue;
    }
    const token = match[0];
    const kind = kindOf(match, token);
    if (kind) tokens.push({ kind, text: token, offset: at });
    at += token.length;
  }
  tokens.push({ kind: '<EOF>', text: '<EOF>', offset: text.length });
  return { tokens, unrecognized };
}

function kindOf(match: RegExpExecArray, text: string): TokenKind | undefined {
  for (let i = 0; i < groups.length; i++) {
    if (match[i + 1] === undefined) continue;
    const group = groups[i]!;
    if (group === 'hidden') return undefined;
    if (group === 'punctuation' || (group === 'IDENTIFIER' && keywords.has(text)))
      return `'${text}'` as TokenKind;
    return group as TokenKind;
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
