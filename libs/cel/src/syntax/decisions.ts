import { type Decision, nextTokens, type RuleName, rules } from './grammar.ts';
import type { TokenKind } from './token.ts';

/** The input of a decision: the tokens ahead, and the minimum precedence of operators. */
export interface Lookahead {
  readonly precedence: number;
  kind(ahead: number): TokenKind;
}

/** The selected alternative (for loops, 0 continues and 1 ends), or the position ahead at which no alternative matches. */
export type Decided = { readonly alternative: number } | { readonly noneAt: number };

const take = (alternative: number): Decided => ({ alternative });
const none = (noneAt: number): Decided => ({ noneAt });
const continueIf = (condition: boolean) => take(condition ? 0 : 1);
const starts = (rule: RuleName, kind: TokenKind) => nextTokens(rules.get(rule)!.entry).tokens.has(kind);
const isNumber = (kind: TokenKind) => kind === 'NUM_INT' || kind === 'NUM_FLOAT';

const relations: ReadonlySet<TokenKind> = new Set(["'=='", "'!='", "'in'", "'<'", "'<='", "'>='", "'>'"]);
const products: ReadonlySet<TokenKind> = new Set(["'*'", "'/'", "'%'"]);
const sums: ReadonlySet<TokenKind> = new Set(["'+'", "'-'"]);
const literals: readonly TokenKind[] = [
  'NUM_INT',
  'NUM_UINT',
  'NUM_FLOAT',
  'STRING',
  'BYTES',
  "'true'",
  "'false'",
  "'null'",
];
const brackets = new Map<TokenKind, number>([
  ["'('", 2],
  ["'['", 3],
  ["'{'", 4],
]);

/** Decides whether `-` is the sign of a number or negates an expression. */
function negation(ahead: Lookahead, number: number, other: number): Decided {
  const second = ahead.kind(1);
  if (isNumber(second)) return take(number);
  return second === "'-'" || starts('member', second) ? take(other) : none(1);
}

/** Decides between a name, a call and a message, which differ only after the names. */
function named(ahead: Lookahead): Decided {
  let at = ahead.kind(0) === "'.'" ? 1 : 0;
  if (ahead.kind(at) !== 'IDENTIFIER') return none(at);
  if (ahead.kind(at + 1) === "'('") return take(1);
  at++;
  while (ahead.kind(at) === "'.'" && ahead.kind(at + 1) === 'IDENTIFIER') at += 2;
  return take(ahead.kind(at) === "'{'" ? 5 : 0);
}

/** The decisions of the grammar that depend on more than the next token. */
export const decisions: Readonly<Record<Decision, (ahead: Lookahead) => Decided>> = {
  calcLoop: ({ precedence, kind }) =>
    continueIf((products.has(kind(0)) && precedence <= 2) || (sums.has(kind(0)) && precedence <= 1)),
  calcOperator: ({ kind }) => take(products.has(kind(0)) ? 0 : 1),
  escapeIdent(ahead) {
    const kind = ahead.kind(0);
    return kind === 'IDENTIFIER' ? take(0) : kind === 'ESC_IDENTIFIER' ? take(1) : none(0);
  },
  fieldLoop: ({ kind }) => continueIf(kind(0) === "','" && starts('optField', kind(1))),
  listLoop: ({ kind }) => continueIf(kind(0) === "','" && starts('optExpr', kind(1))),
  literal(ahead) {
    if (ahead.kind(0) === "'-'")
      return isNumber(ahead.kind(1)) ? take(ahead.kind(1) === 'NUM_INT' ? 0 : 2) : none(1);
    const alternative = literals.indexOf(ahead.kind(0));
    return alternative < 0 ? none(0) : take(alternative);
  },
  member(ahead) {
    if (ahead.kind(0) === "'['") return take(2);
    const second = ahead.kind(1);
    if (second === 'IDENTIFIER') return take(ahead.kind(2) === "'('" ? 1 : 0);
    return second === "'?'" || second === 'ESC_IDENTIFIER' ? take(0) : none(1);
  },
  memberLoop: ({ kind }) => continueIf(kind(0) === "'.'" || kind(0) === "'['"),
  negations: (ahead) => (ahead.kind(0) === "'-'" ? negation(ahead, 0, 0) : take(1)),
  primary(ahead) {
    const first = ahead.kind(0);
    if (first === "'.'" || first === 'IDENTIFIER') return named(ahead);
    const bracket = brackets.get(first);
    if (bracket !== undefined) return take(bracket);
    return starts('literal', first) ? take(6) : none(0);
  },
  relationLoop: ({ precedence, kind }) => continueIf(relations.has(kind(0)) && precedence <= 1),
  unary(ahead) {
    const first = ahead.kind(0);
    if (first === "'!'") return take(1);
    if (first === "'-'") return negation(ahead, 0, 2);
    return starts('member', first) ? take(0) : none(0);
  },
};
