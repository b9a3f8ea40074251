import type { TokenKind } from './token.ts';
import type { TokenStream } from './token-stream.ts';

/** No option matches; the token at this position ahead shows it. */
export class NoAlternative {
  readonly at: number;

  constructor(at: number) {
    this.at = at;
  }
}

/** The index of the selected option; for loops, 0 continues and 1 ends. */
export type Decided = number | NoAlternative;

/** Selects an option by the tokens ahead, and by the minimum precedence of operators. */
export type Decision = (ahead: TokenStream, precedence: number) => Decided;

const none = (at: number): Decided => new NoAlternative(at);
const continueIf = (condition: boolean): Decided => (condition ? 0 : 1);
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
/** The tokens that an operand, an element and a field begin with. */
const operandStarts: ReadonlySet<TokenKind> = new Set<TokenKind>([
  "'.'",
  'IDENTIFIER',
  "'('",
  "'['",
  "'{'",
  "'-'",
  ...literals,
]);
const elementStarts: ReadonlySet<TokenKind> = new Set<TokenKind>(["'?'", "'!'", ...operandStarts]);
const fieldStarts: ReadonlySet<TokenKind> = new Set(["'?'", 'IDENTIFIER', 'ESC_IDENTIFIER']);
const brackets = new Map<TokenKind, number>([
  ["'('", 2],
  ["'['", 3],
  ["'{'", 4],
]);

/** Decides whether `-` is the sign of a number or negates an expression. */
function negation(ahead: TokenStream, number: number, other: number): Decided {
  const second = ahead.kind(1);
  if (isNumber(second)) return number;
  return second === "'-'" || operandStarts.has(second) ? other : none(1);
}

/** Decides between a name, a call and a message, which differ only after the names. */
function named(ahead: TokenStream): Decided {
  let at = ahead.kind(0) === "'.'" ? 1 : 0;
  if (ahead.kind(at) !== 'IDENTIFIER') return none(at);
  if (ahead.kind(at + 1) === "'('") return 1;
  at++;
  while (ahead.kind(at) === "'.'" && ahead.kind(at + 1) === 'IDENTIFIER') at += 2;
  return ahead.kind(at) === "'{'" ? 5 : 0;
}

/** The decisions of the grammar that depend on more than the next token. */
export const decisions = {
  calcLoop(ahead: TokenStream, precedence: number): Decided {
    const kind = ahead.kind(0);
    return continueIf((products.has(kind) && precedence <= 2) || (sums.has(kind) && precedence <= 1));
  },
  calcOperator: (ahead: TokenStream) => (products.has(ahead.kind(0)) ? 0 : 1),
  escapeIdent(ahead: TokenStream): Decided {
    const kind = ahead.kind(0);
    return kind === 'IDENTIFIER' ? 0 : kind === 'ESC_IDENTIFIER' ? 1 : none(0);
  },
  fieldLoop: (ahead: TokenStream) => continueIf(ahead.kind(0) === "','" && fieldStarts.has(ahead.kind(1))),
  listLoop: (ahead: TokenStream) => continueIf(ahead.kind(0) === "','" && elementStarts.has(ahead.kind(1))),
  literal(ahead: TokenStream): Decided {
    if (ahead.kind(0) === "'-'")
      return isNumber(ahead.kind(1)) ? (ahead.kind(1) === 'NUM_INT' ? 0 : 2) : none(1);
    const alternative = literals.indexOf(ahead.kind(0));
    return alternative < 0 ? none(0) : alternative;
  },
  member(ahead: TokenStream): Decided {
    if (ahead.kind(0) === "'['") return 2;
    const second = ahead.kind(1);
    if (second === 'IDENTIFIER') return ahead.kind(2) === "'('" ? 1 : 0;
    return second === "'?'" || second === 'ESC_IDENTIFIER' ? 0 : none(1);
  },
  memberLoop: (ahead: TokenStream) => continueIf(ahead.kind(0) === "'.'" || ahead.kind(0) === "'['"),
  negations: (ahead: TokenStream) => (ahead.kind(0) === "'-'" ? negation(ahead, 0, 0) : 1),
  primary(ahead: TokenStream): Decided {
    const first = ahead.kind(0);
    if (first === "'.'" || first === 'IDENTIFIER') return named(ahead);
    const bracket = brackets.get(first);
    if (bracket !== undefined) return bracket;
    return first === "'-'" || literals.includes(first) ? 6 : none(0);
  },
  relationLoop: (ahead: TokenStream, precedence: number) =>
    continueIf(precedence <= 1 && relations.has(ahead.kind(0))),
  unary(ahead: TokenStream): Decided {
    const first = ahead.kind(0);
    if (first === "'!'") return 1;
    if (first === "'-'") return negation(ahead, 0, 2);
    return operandStarts.has(first) ? 0 : none(0);
  },
} satisfies Record<string, Decision>;
