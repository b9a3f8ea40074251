import type { Expr, MapEntry, StructField } from './expr.ts';
import { type Recursion, visit } from './recursion.ts';
import { maxExpressionDepth, RecursionLimit } from './recursion-limit.ts';
import type { OptionalElement, TreeBuilder } from './tree-builder.ts';
import type { Token, TokenKind } from './token.ts';

/** Reports a text that does not match the grammar. */
export class ExpressionSyntaxError extends Error {
  readonly offset: number;

  constructor(offset: number, message: string) {
    super(message);
    this.offset = offset;
  }
}

/** A left-associative operator; one with a higher precedence binds its operands first. */
interface Operator {
  readonly name: string;
  readonly precedence: number;
}

const [relation, sum, product] = [1, 2, 3];
const binaryOperators: ReadonlyMap<TokenKind, Operator> = new Map([
  ["'<'", { name: '_<_', precedence: relation }],
  ["'<='", { name: '_<=_', precedence: relation }],
  ["'>='", { name: '_>=_', precedence: relation }],
  ["'>'", { name: '_>_', precedence: relation }],
  ["'=='", { name: '_==_', precedence: relation }],
  ["'!='", { name: '_!=_', precedence: relation }],
  ["'in'", { name: '@in', precedence: relation }],
  ["'+'", { name: '_+_', precedence: sum }],
  ["'-'", { name: '_-_', precedence: sum }],
  ["'*'", { name: '_*_', precedence: product }],
  ["'/'", { name: '_/_', precedence: product }],
  ["'%'", { name: '_%_', precedence: product }],
]);

/** Parses the grammar by recursive descent, in passes over its operands; ends at the first error. */
export class TokenParser {
  readonly #tokens: readonly Token[];
  readonly #build: TreeBuilder;
  #at = 0;
  #exprDepth = 0;

  constructor(tokens: readonly Token[], builder: TreeBuilder) {
    this.#tokens = tokens;
    this.#build = builder;
  }

  *start(): Recursion<Expr> {
    const expr = yield* this.#expr();
    this.#expect('<EOF>');
    return expr;
  }

  *#expr(): Recursion<Expr> {
    if (++this.#exprDepth > maxExpressionDepth)
      throw new RecursionLimit(`expression recursion limit exceeded: ${maxExpressionDepth}`);
    const condition = yield* this.#or();
    const question = this.#accept("'?'");
    let expr = condition;
    if (question) {
      const then = yield* this.#or();
      this.#expect("':'");
      const otherwise = yield* this.#expr();
      expr = this.#build.callOrMacro(question.offset, '_?_:_', undefined, [condition, then, otherwise]);
    }
    this.#exprDepth--;
    return expr;
  }

  #or(): Recursion<Expr> {
    return this.#chain("'||'", '_||_', () => this.#and());
  }

  #and(): Recursion<Expr> {
    return this.#chain("'&&'", '_&&_', () => this.#operation(relation));
  }

  *#chain(kind: TokenKind, name: string, term: () => Recursion<Expr>): Recursion<Expr> {
    const first = yield* term();
    if (this.#peek().kind !== kind) return first;
    const terms = [first];
    const operators: Token[] = [];
    for (let op = this.#accept(kind); op; op = this.#accept(kind)) {
      operators.push(op);
      terms.push(yield* term());
    }
    return yield* this.#build.balanced({ name, terms, operators });
  }

  /** Parses operators of at least this precedence, and their operands. */
  *#operation(precedence: number): Recursion<Expr> {
    let left = yield* visit(this.#operand());
    for (;;) {
      const token = this.#peek();
      const operator = binaryOperators.get(token.kind);
      if (operator === undefined || operator.precedence < precedence) return left;
      this.#at++;
      const right = yield* this.#operation(operator.precedence + 1);
      left = this.#build.callOrMacro(token.offset, operator.name, undefined, [left, right]);
    }
  }

  *#operand(): Recursion<Expr> {
    const first = this.#peek();
    if (first.kind === "'!'") return yield* this.#prefixed(first, '!_');
    if (first.kind !== "'-'") return yield* this.#member();
    const next = this.#peek(1).kind;
    return yield* next === 'NUM_INT' || next === 'NUM_FLOAT' ? this.#member() : this.#prefixed(first, '-_');
  }

  *#prefixed(first: Token, name: string): Recursion<Expr> {
    let count = 0;
    while (this.#accept(first.kind)) count++;
    const operand = yield* this.#member();
    return count % 2 === 0 ? operand : this.#build.callOrMacro(first.offset, name, undefined, [operand]);
  }

  *#member(): Recursion<Expr> {
    let expr = yield* this.#primary();
    for (;;) {
      const token = this.#peek();
      if (token.kind !== "'.'" && token.kind !== "'['") return expr;
      this.#at++;
      expr = yield* token.kind === "'.'" ? this.#afterDot(token, expr) : this.#afterBracket(token, expr);
    }
  }

  *#afterDot(dot: Token, operand: Expr): Recursion<Expr> {
    const optional = this.#accept("'?'");
    const field = this.#accept('ESC_IDENTIFIER') ?? this.#expect('IDENTIFIER');
    if (optional) return this.#build.optionalSelect(dot.offset, operand, field);
    const open = field.kind === 'IDENTIFIER' ? this.#accept("'('") : undefined;
    if (!open) return this.#build.select(dot.offset, operand, this.#build.fieldName(field));
    return this.#build.callOrMacro(open.offset, field.text, operand, yield* this.#arguments());
  }

  *#afterBracket(open: Token, target: Expr): Recursion<Expr> {
    const optional = this.#accept("'?'");
    const index = yield* this.#expr();
    this.#expect("']'");
    return this.#build.index(open, target, index, optional !== undefined);
  }

  *#primary(): Recursion<Expr> {
    const token = this.#next();
    switch (token.kind) {
      case "'.'":
        return yield* this.#name(this.#expect('IDENTIFIER'), token);
      case 'IDENTIFIER':
        return yield* this.#name(token, undefined);
      case "'('": {
        const expr = yield* this.#expr();
        this.#expect("')'");
        return expr;
      }
      case "'['":
        return this.#build.list(token.offset, yield* this.#list("']'", () => this.#optionalExpr()));
      case "'{'":
        return this.#build.map(token.offset, yield* this.#list("'}'", () => this.#mapEntry()));
      default:
        return this.#literal(token);
    }
  }

  #literal(token: Token): Expr {
    switch (token.kind) {
      case "'-'": {
        const number = this.#accept('NUM_FLOAT');
        return number ? this.#build.double(number, token) : this.#build.int(this.#expect('NUM_INT'), token);
      }
      case 'NUM_INT':
        return this.#build.int(token, undefined);
      case 'NUM_UINT':
        return this.#build.uint(token);
      case 'NUM_FLOAT':
        return this.#build.double(token, undefined);
      case 'STRING':
        return this.#build.string(token);
      case 'BYTES':
        return this.#build.bytes(token);
      case "'true'":
      case "'false'":
        return this.#build.literal(token.offset, token.kind === "'true'");
      case "'null'":
        return this.#build.literal(token.offset, null);
      default:
        throw unexpected(token);
    }
  }

  *#name(token: Token, leadingDot: Token | undefined): Recursion<Expr> {
    const open = this.#accept("'('");
    if (open) return this.#build.globalCall(token, leadingDot, open, yield* this.#arguments());
    return (yield* this.#message(token, leadingDot)) ?? this.#build.identToken(token, leadingDot);
  }

  /** Parses `a.b.C{...}`; only the brace distinguishes it from selections. */
  *#message(token: Token, leadingDot: Token | undefined): Recursion<Expr | undefined> {
    let ahead = 0;
    while (this.#peek(ahead).kind === "'.'" && this.#peek(ahead + 1).kind === 'IDENTIFIER') ahead += 2;
    if (this.#peek(ahead).kind !== "'{'") return undefined;
    const names = [token.text];
    for (let i = 1; i < ahead; i += 2) names.push(this.#peek(i).text);
    this.#at += ahead;
    const open = this.#next();
    const fields = yield* this.#list("'}'", () => this.#structField());
    return this.#build.struct(open.offset, (leadingDot ? '.' : '') + names.join('.'), fields);
  }

  *#structField(): Recursion<StructField> {
    const marker = this.#marker();
    const name = this.#accept('ESC_IDENTIFIER') ?? this.#expect('IDENTIFIER');
    const colon = this.#expect("':'");
    const value = yield* this.#expr();
    return this.#build.structField(colon.offset, { value: name, optional: marker }, value);
  }

  *#mapEntry(): Recursion<MapEntry> {
    const key = yield* this.#optionalExpr();
    const colon = this.#expect("':'");
    return this.#build.mapEntry(colon.offset, key, yield* this.#expr());
  }

  *#optionalExpr(): Recursion<OptionalElement<Expr>> {
    const optional = this.#marker();
    return { value: yield* this.#expr(), optional };
  }

  #marker(): boolean {
    const marker = this.#accept("'?'");
    if (marker) this.#build.checkOptional(marker);
    return marker !== undefined;
  }

  *#arguments(): Recursion<Expr[]> {
    const args: Expr[] = [];
    if (this.#accept("')'")) return args;
    do args.push(yield* this.#expr());
    while (this.#accept("','"));
    this.#expect("')'");
    return args;
  }

  /** Parses elements up to a closing bracket, with an optional trailing comma; accepts `[,]`. */
  *#list<T>(close: TokenKind, element: () => Recursion<T>): Recursion<T[]> {
    const elements: T[] = [];
    if (this.#peek().kind === "','" && this.#peek(1).kind === close) this.#at++;
    while (!this.#accept(close)) {
      elements.push(yield* element());
      if (this.#peek().kind !== close) this.#expect("','");
    }
    return elements;
  }

  #peek(ahead = 0): Token {
    return this.#tokens[this.#at + ahead] ?? this.#tokens.at(-1)!;
  }

  #next(): Token {
    const token = this.#peek();
    this.#at++;
    return token;
  }

  #accept(kind: TokenKind): Token | undefined {
    return this.#peek().kind === kind ? this.#next() : undefined;
  }

  #expect(kind: TokenKind): Token {
    const token = this.#next();
    if (token.kind !== kind) throw unexpected(token);
    return token;
  }
}

function unexpected(token: Token): ExpressionSyntaxError {
  return new ExpressionSyntaxError(token.offset, `Syntax error: unexpected ${token.text}`);
}
