import type { Passes } from '@annex/machinery';
import { decisions } from './decisions.ts';
import { nextTokens, type Part, type RuleName, rules, type State } from './grammar.ts';
import type { Tokens } from './lexer.ts';
import type { Issue } from './source.ts';
import { inPasses, type Recursion } from './recursion.ts';
import { maxExpressionDepth } from './recursion-limit.ts';
import { type Token, type TokenKind, tokenKinds } from './token.ts';

/** Ends a rule: the input matches none of its alternatives. */
class RuleError {
  readonly message: string;
  readonly token: Token;

  constructor(message: string, token: Token) {
    this.message = message;
    this.token = token;
  }
}

/** Ends the diagnosis because of too many errors. */
class DiagnosisAborted {
  readonly issue: Issue;

  constructor(message: string, offset = -1) {
    this.issue = { offset, message };
  }
}

/** A rule in progress, and the state that entered it. */
interface Frame {
  readonly name: RuleName;
  readonly from: State | undefined;
  readonly precedence: number;
  /** The number of iterations of its loops and options, and the offset of the last one. */
  rounds: number;
  operator: number;
}

/** The last parsed expression: whether it selects a field, and its offset. */
interface Shape {
  readonly selects: boolean;
  readonly offset: number;
}

/** The rules that are operators if they iterate more than once. */
const operators: ReadonlySet<RuleName> = new Set([
  'expr',
  'conditionalOr',
  'conditionalAnd',
  'relation',
  'calc',
]);

/** The alternatives `f(...)` and `(...)` of a primary expression. */
const callAlternative = 1;
const bracketAlternative = 2;

/** The maximum number of recoveries from syntax errors in one expression. Source: cel-go. */
export const maxRecoveries = 30;
/** The maximum number of tokens that one recovery skips. Source: cel-go. */
export const maxSkippedTokens = 256;

/**
 * Returns all syntax errors of an expression, found and worded as by ANTLR's default error strategy: it skips a token,
 * assumes a missing one, or leaves the rule and continues at a token that can follow it.
 * https://github.com/antlr/antlr4/blob/master/doc/parser-rules.md
 */
export function diagnose(text: string, tokens: Tokens): Passes<Issue[]> {
  return new Diagnosis(text, tokens).run();
}

class Diagnosis {
  readonly #text: string;
  readonly #tokens: readonly Token[];
  readonly #unrecognized: Tokens['unrecognized'];
  readonly #issues: Issue[] = [];
  readonly #frames: Frame[] = [];
  readonly #depths = new Map<RuleName, number>();
  readonly #lastStates = new Set<State>();
  #lastAt = -1;
  #at = 0;
  #state: State | undefined;
  #recovering = false;
  #shape: Shape = { selects: false, offset: 0 };
  /** The number of arguments of the last call. */
  #arguments = 0;
  #recoveries = 0;

  constructor(text: string, { tokens, unrecognized }: Tokens) {
    this.#text = text;
    this.#tokens = tokens;
    this.#unrecognized = unrecognized;
  }

  *run(): Passes<Issue[]> {
    try {
      yield* inPasses(this.#rule('start', 0));
    } catch (error) {
      if (!(error instanceof DiagnosisAborted)) throw error;
      this.#issues.push(error.issue);
    }
    return this.#issues;
  }

  *#rule(name: RuleName, precedence: number): Recursion<void> {
    const from = this.#state;
    const depth = (this.#depths.get(name) ?? 0) + 1;
    if (depth > maxExpressionDepth)
      throw new DiagnosisAborted(`expression recursion limit exceeded: ${maxExpressionDepth}`);
    this.#depths.set(name, depth);
    const frame: Frame = { name, from, precedence, rounds: 0, operator: 0 };
    this.#frames.push(frame);
    try {
      yield this.#part(rules.get(name)!.part);
    } catch (error) {
      if (!(error instanceof RuleError)) throw error;
      this.#report(error.message, error.token);
      this.#recover();
    }
    this.#frames.pop();
    if (name === 'exprList') this.#arguments = frame.rounds + 1;
    if (frame.rounds > 0 && operators.has(name)) this.#shape = { selects: false, offset: frame.operator };
    this.#depths.set(name, depth - 1);
    this.#state = from;
  }

  *#part(part: Part): Recursion<void> {
    switch (part.kind) {
      case 'token':
        this.#state = part.state;
        this.#match(part.tokens);
        break;
      case 'rule':
        this.#state = part.state;
        yield this.#rule(part.rule, part.precedence);
        break;
      case 'sequence':
        for (const each of part.parts) yield this.#part(each);
        break;
      case 'choice':
        this.#check(part.state);
        yield this.#choose(part, this.#decide(part));
        break;
      case 'optional':
        this.#check(part.state);
        if (this.#starts(part.part)) yield this.#round(part.part);
        break;
      case 'star':
      case 'plus':
        yield this.#loop(part);
    }
  }

  *#loop(part: Part & { kind: 'star' | 'plus' }): Recursion<void> {
    this.#check(part.state);
    const continues = () => (part.decide ? this.#decide(part) === 0 : this.#starts(part.part));
    if (part.kind === 'star' && !continues()) return;
    do {
      yield this.#round(part.part);
      this.#check(part.again);
    } while (continues());
  }

  *#round(part: Part): Recursion<void> {
    const frame = this.#frames.at(-1)!;
    frame.rounds++;
    frame.operator = this.#token(0).offset;
    yield this.#part(part);
  }

  *#choose({ parts, decide }: Part & { kind: 'choice' }, alternative: number): Recursion<void> {
    const { offset } = this.#token(decide === 'member' && alternative === 1 ? 2 : 0);
    const part = parts[alternative]!;
    yield decide === 'primary' ? this.#primary(part, alternative) : this.#part(part);
    if (decide === 'member') this.#shape = { selects: alternative === 0, offset };
    if (decide === 'unary' && alternative > 0) this.#shape = { selects: false, offset };
  }

  /** The argument of `has` must select a field, even if it contains other errors. */
  *#primary(part: Part, alternative: number): Recursion<void> {
    const { offset, text } = this.#token(0);
    this.#shape = { selects: false, offset };
    this.#arguments = 0;
    try {
      yield this.#part(part);
    } finally {
      const isPresenceTest = alternative === callAlternative && text === 'has' && this.#arguments === 1;
      // An invalid presence test is at the place of its argument, for one around it too.
      if (isPresenceTest && !this.#shape.selects)
        this.#issues.push({ offset: this.#shape.offset, message: 'invalid argument to has() macro' });
      else if (alternative !== bracketAlternative) this.#shape = { selects: false, offset };
    }
  }

  #starts(part: Part): boolean {
    if (part.kind === 'sequence') return this.#starts(part.parts[0]!);
    return nextTokens(part.state).tokens.has(this.#kind(0));
  }

  #decide({ decide }: Part & { kind: 'choice' | 'star' | 'plus' }): number {
    const { precedence } = this.#frames.at(-1)!;
    const decided = decisions[decide!]({ precedence, kind: (ahead) => this.#kind(ahead) });
    if ('alternative' in decided) return decided.alternative;
    const offending = this.#token(decided.noneAt);
    throw new RuleError(`no viable alternative at input ${this.#inputUpTo(decided.noneAt)}`, offending);
  }

  #inputUpTo(ahead: number): string {
    const start = this.#token(0);
    if (start.kind === '<EOF>') return quoted('<EOF>');
    const last = this.#token(ahead);
    const end = last.kind === '<EOF>' ? this.#text.length : last.offset + last.text.length;
    return quoted(this.#recognized(start.offset, end));
  }

  /** Returns a part of the text without unrecognized characters. */
  #recognized(start: number, end: number): string {
    let text = '';
    let at = start;
    for (const span of this.#unrecognized) {
      if (span.start < at || span.start >= end) continue;
      text += this.#text.slice(at, span.start);
      at = span.end;
    }
    return text + this.#text.slice(at, end);
  }

  /** Checks before a decision that the next token is valid; otherwise recovers or fails. */
  #check(state: State): void {
    this.#state = state;
    if (this.#recovering) return;
    const next = nextTokens(state);
    if (next.end || next.tokens.has(this.#kind(0))) return;
    if (state.check === 'loop') {
      this.#reportUnwanted();
      this.#skipUntil(new Set([...this.#expected(), ...this.#followers()]));
    } else if (!this.#deleteOne()) throw this.#mismatch();
  }

  #match(kinds: ReadonlySet<TokenKind>): void {
    if (!kinds.has(this.#kind(0))) return this.#recoverInline();
    this.#recovering = false;
    this.#consume();
  }

  #recoverInline(): void {
    this.#countRecovery();
    if (this.#deleteOne()) return this.#consume();
    const after = this.#state!.edges[0]!.to;
    if (!this.#expectedFrom(after).has(this.#kind(0))) throw this.#mismatch();
    this.#report(`missing ${list(this.#expected())} at ${this.#display()}`, this.#token(0));
  }

  /** Skips the next token if the token after it is expected. */
  #deleteOne(): boolean {
    if (!this.#expected().has(this.#kind(1))) return false;
    this.#reportUnwanted();
    this.#consume();
    this.#recovering = false;
    return true;
  }

  /** Leaves a rule: continues at a token that can follow one of the enclosing rules. */
  #recover(): void {
    this.#countRecovery();
    // A second recovery at the same position consumes at least one token.
    if (this.#lastAt === this.#at && this.#lastStates.has(this.#state!)) this.#consume();
    this.#lastAt = this.#at;
    this.#lastStates.add(this.#state!);
    this.#skipUntil(this.#followers());
  }

  #countRecovery(): void {
    if (this.#recoveries++ < maxRecoveries) return;
    const message = `Syntax error: error recovery attempt limit exceeded: ${maxRecoveries}`;
    throw new DiagnosisAborted(message, this.#token(0).offset);
  }

  #skipUntil(kinds: ReadonlySet<TokenKind>): void {
    for (let skipped = 0; this.#kind(0) !== '<EOF>' && !kinds.has(this.#kind(0)); skipped++) {
      if (skipped >= maxSkippedTokens)
        throw new DiagnosisAborted(`error recovery token lookahead limit exceeded: ${maxSkippedTokens}`);
      this.#consume();
    }
  }

  /** Returns the tokens that can follow the enclosing rules. */
  #followers(): Set<TokenKind> {
    const followers = new Set<TokenKind>();
    for (const { from } of this.#frames)
      if (from) nextTokens(from.edges[0]!.to).tokens.forEach((kind) => followers.add(kind));
    return followers;
  }

  #expected(): Set<TokenKind> {
    return this.#expectedFrom(this.#state!);
  }

  /** Returns the tokens that can follow a state, including those after the end of enclosing rules. */
  #expectedFrom(state: State): Set<TokenKind> {
    let next = nextTokens(state);
    const expected = new Set(next.tokens);
    for (const { from } of this.#frames.toReversed()) {
      if (!next.end) return expected;
      if (!from) return expected.add('<EOF>');
      next = nextTokens(from.edges[0]!.to);
      next.tokens.forEach((kind) => expected.add(kind));
    }
    return expected;
  }

  #mismatch(): RuleError {
    const message = `mismatched input ${this.#display()} expecting ${list(this.#expected())}`;
    return new RuleError(message, this.#token(0));
  }

  #reportUnwanted(): void {
    this.#report(`extraneous input ${this.#display()} expecting ${list(this.#expected())}`, this.#token(0));
  }

  /** Reports an error, unless it follows from an earlier one: no token has matched since then. */
  #report(message: string, token: Token): void {
    if (this.#recovering) return;
    this.#recovering = true;
    const reserved = /^no viable alternative at input '\.(true|false|null)'$/.exec(message);
    const shown = reserved ? `mismatched input '${reserved[1]}' expecting IDENTIFIER` : message;
    this.#issues.push({ offset: token.offset, message: `Syntax error: ${shown}` });
  }

  #display(): string {
    return quoted(this.#token(0).text);
  }

  #token(ahead: number): Token {
    return this.#tokens[this.#at + ahead] ?? this.#tokens.at(-1)!;
  }

  #kind(ahead: number): TokenKind {
    return this.#token(ahead).kind;
  }

  #consume(): void {
    if (this.#kind(0) !== '<EOF>') this.#at++;
  }
}

function quoted(text: string): string {
  return `'${text.replaceAll('\t', '\\t').replaceAll('\n', '\\n').replaceAll('\r', '\\r')}'`;
}

/** Formats kinds in the order of the grammar. */
function list(kinds: ReadonlySet<TokenKind>): string {
  const names = tokenKinds.filter((kind) => kinds.has(kind));
  return names.length === 1 ? names[0]! : `{${names.join(', ')}}`;
}
