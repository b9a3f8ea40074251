import type { Passes } from '@annex/machinery';
import { codePointCount } from '../values/container.ts';
import { decisions, NoAlternative } from './decisions.ts';
import { ErrorRecovery, ParsingAborted, RuleError } from './error-recovery.ts';
import { ExpressionLimitError, maxExpressionDepth } from './expression-limit.ts';
import type { Expr } from './expr.ts';
import {
  type ChoiceState,
  nextTokens,
  type Rule,
  type RuleState,
  ruleCount,
  startRule,
  type State,
  type TokenState,
} from './grammar.ts';
import { Lexer } from './lexer.ts';
import { RuleContext } from './rule-context.ts';
import { buildRule, buildToken, isOnlyPart } from './rule-nodes.ts';
import { type Issue, maxExpressionErrors, noOffset, type Source } from './source.ts';
import type { TokenKind } from './token.ts';
import { TokenStream } from './token-stream.ts';
import { type ParseOptions, TreeBuilder } from './tree-builder.ts';
import { partsAtOnce } from './visit-in-passes.ts';

/** The maximum length of an expression, in code points; longer ones are rejected without parsing. */
export const maxExpressionCodePoints = 100_000;

/** Returns the syntax tree and all errors; the tree is valid only if there are none. */
export function* parse(
  { text }: Source,
  options: ParseOptions,
): Passes<{ expr: Expr; issues: readonly Issue[] }> {
  const tree = new TreeBuilder(options);
  const length = text.length > maxExpressionCodePoints ? codePointCount(text) : 0;
  if (length > maxExpressionCodePoints) {
    const message = `expression code point size exceeds limit: size: ${length}, limit ${maxExpressionCodePoints}`;
    return { expr: tree.reportError(noOffset, message), issues: tree.issues };
  }
  const syntaxErrors: Issue[] = [];
  try {
    const expr = yield* new Parser(text, tree, syntaxErrors).run();
    return { expr, issues: [...syntaxErrors, ...tree.issues] };
  } catch (error) {
    if (!(error instanceof ParsingAborted)) throw error;
    return {
      expr: tree.placeholder(),
      issues: [...syntaxErrors, { offset: error.offset, message: error.message }],
    };
  }
}

/** The shortest parts of an expression take so many steps. */
const stepsAtOnce = 4 * partsAtOnce;

const singleTokens: ReadonlySet<TokenKind> = new Set([
  'IDENTIFIER',
  'NUM_INT',
  'NUM_UINT',
  'NUM_FLOAT',
  'STRING',
  'BYTES',
  "'true'",
  "'false'",
  "'null'",
]);
/** The tokens that continue an operand after a name or a literal. */
const continuations: ReadonlySet<TokenKind> = new Set(["'.'", "'['", "'('", "'{'"]);
/** The tokens that end an expression. */
const ends: ReadonlySet<TokenKind> = new Set(["')'", "']'", "'}'", "','", "':'", '<EOF>']);

/** Parses an expression by the states of the grammar, and builds its tree; recovers from syntax errors. */
class Parser {
  readonly #tree: TreeBuilder;
  readonly #syntaxErrors: Issue[];
  readonly #input: TokenStream;
  readonly #recovery: ErrorRecovery;
  /** The innermost rule in progress. */
  #context: RuleContext | undefined;
  /** How many contexts of each rule are in progress. */
  readonly #depths = new Array<number>(ruleCount).fill(0);
  #result: Expr | undefined;
  /** The error of a tree that exceeds a limit: nothing more is built. */
  #limitError: ExpressionLimitError | undefined;

  constructor(text: string, tree: TreeBuilder, syntaxErrors: Issue[]) {
    this.#tree = tree;
    this.#syntaxErrors = syntaxErrors;
    const report = (offset: number, message: string) => this.#reportSyntaxError(offset, message);
    this.#input = new TokenStream(text, new Lexer(text, report));
    this.#recovery = new ErrorRecovery(this.#input, report);
  }

  *run(): Passes<Expr> {
    this.#enter(startRule, undefined);
    while (this.#advance(stepsAtOnce)) yield;
    if (this.#limitError) return this.#tree.reportError(noOffset, this.#limitError.message);
    return this.#result!;
  }

  /** Makes steps; returns true if the end is not reached. */
  #advance(steps: number): boolean {
    for (let step = 0; step < steps; step++) {
      const context = this.#context;
      if (!context) return false;
      try {
        this.#step(context);
      } catch (error) {
        if (!(error instanceof RuleError)) throw error;
        this.#recovery.leaveRule(context, error);
        this.#leave(context);
      }
    }
    return true;
  }

  #step(context: RuleContext): void {
    const { state } = context;
    switch (state.kind) {
      case 'token':
        this.#match(context, state);
        context.state = state.to;
        break;
      case 'rule':
        if (this.#isSingleToken(state.rule)) this.#addToken(context, state);
        else this.#enter(state.rule, state);
        break;
      case 'alternative':
        // What precedes it is its first part.
        if (context.parts.length > 0) context.enclose(this.#build(context));
        context.alternative = state.name;
        context.state = state.to;
        break;
      case 'choice':
        context.state = this.#choose(context, state);
        break;
      case 'end':
        this.#leave(context);
    }
  }

  /** Returns true if an expression or an operand is a name or a literal alone. Most are: they need no rules. */
  #isSingleToken(rule: Rule): boolean {
    const input = this.#input;
    if (!rule.canBeToken || !singleTokens.has(input.kind(0))) return false;
    if (rule.name === 'expr')
      return ends.has(input.kind(1)) && this.#depths[rule.index]! < maxExpressionDepth;
    if (rule.name === 'unary') return !continuations.has(input.kind(1));
    if (input.kind(0) === 'IDENTIFIER') return rule.name === 'escapeIdent' || decisions.primary(input) === 0;
    return rule.name === 'primary';
  }

  #addToken(context: RuleContext, state: RuleState): void {
    this.#recovery.matched();
    const token = this.#input.consume();
    context.addPart(this.#limitError ? undefined : buildToken(state.rule, token, this.#tree));
    context.state = state.to;
  }

  #enter(rule: Rule, from: RuleState | undefined): void {
    if (++this.#depths[rule.index]! > maxExpressionDepth)
      throw new ParsingAborted(`expression recursion limit exceeded: ${maxExpressionDepth}`);
    this.#context = new RuleContext(
      rule,
      this.#context,
      from,
      this.#input.token(0),
      this.#tree.issues.length,
    );
  }

  #leave(context: RuleContext): void {
    const { rule, parent, from } = context;
    this.#context = parent;
    this.#depths[rule.index]!--;
    const result = this.#build(context);
    if (!parent || !from) {
      this.#result = result as Expr;
      return;
    }
    parent.addPart(result);
    parent.state = from.to;
  }

  #build(context: RuleContext): unknown {
    if (this.#limitError) return undefined;
    if (isOnlyPart(context)) return context.parts[0];
    try {
      return buildRule(context, this.#tree);
    } catch (error) {
      if (!(error instanceof ExpressionLimitError)) throw error;
      this.#limitError = error;
      this.#tree.takeIssues(context.firstIssue);
      return undefined;
    }
  }

  #match(context: RuleContext, state: TokenState): void {
    const input = this.#input;
    const matches = state.tokens.has(input.kind(0));
    if (matches) this.#recovery.matched();
    const token = matches ? input.consume() : this.#recovery.replaceToken(context, state);
    if (state.label) context.addToken(state.label, token);
  }

  #choose(context: RuleContext, state: ChoiceState): State {
    const { options, decision } = state;
    const first = options[0]!;
    // This is what a check and a choice come to for most tokens.
    if (!decision && begins(first, this.#input.kind(0))) return first;
    this.#recovery.check(context, state);
    if (!decision) return options.length === 1 || begins(first, this.#input.kind(0)) ? first : options[1]!;
    const decided = decision(this.#input, context.from!.precedence);
    if (decided instanceof NoAlternative) throw this.#recovery.noAlternative(decided.at);
    return options[decided]!;
  }

  #reportSyntaxError(offset: number, message: string): void {
    if (this.#syntaxErrors.length >= maxExpressionErrors)
      throw new ParsingAborted(`Syntax error: More than ${maxExpressionErrors} syntax errors`, offset);
    this.#syntaxErrors.push({ offset, message: `Syntax error: ${message}` });
  }
}

function begins(state: State, kind: TokenKind): boolean {
  return nextTokens(state).tokens.has(kind);
}
