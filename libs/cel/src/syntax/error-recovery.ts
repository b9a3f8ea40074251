import { type ChoiceState, nextTokens, type State, type TokenState } from './grammar.ts';
import type { RuleContext } from './rule-context.ts';
import { noOffset } from './source.ts';
import { type Token, type TokenKind, tokenKinds } from './token.ts';
import type { TokenStream } from './token-stream.ts';

/** Ends a rule: the input matches none of its alternatives. */
export class RuleError {
  readonly message: string;
  readonly token: Token;

  constructor(message: string, token: Token) {
    this.message = message;
    this.token = token;
  }
}

/** Ends the parsing: there are too many errors, or too many rules in progress. */
export class ParsingAborted {
  readonly offset: number;
  readonly message: string;

  constructor(message: string, offset = noOffset) {
    this.message = message;
    this.offset = offset;
  }
}

/** The maximum number of recoveries from syntax errors in one expression. Source: cel-go. */
export const maxRecoveries = 30;
/** The maximum number of tokens that one recovery skips. Source: cel-go. */
export const maxSkippedTokens = 256;

/**
 * Finds and words syntax errors as ANTLR's default error strategy: it skips a token, assumes a missing one, or leaves the
 * rule and continues at a token that can follow it.
 * https://github.com/antlr/antlr4/blob/master/doc/parser-rules.md
 */
export class ErrorRecovery {
  readonly #input: TokenStream;
  readonly #reportError: (offset: number, message: string) => void;
  /** Set from an error until a token matches: errors in between follow from it. */
  #recovering = false;
  #recoveries = 0;
  /** Where the last recovery was, and the states of all of them since a token matched. */
  #lastAt = -1;
  #lastStates = new Set<State>();

  constructor(input: TokenStream, reportError: (offset: number, message: string) => void) {
    this.#input = input;
    this.#reportError = reportError;
  }

  /** Notes that a token matched. */
  matched(): void {
    this.#recovering = false;
    if (this.#lastAt < 0) return;
    this.#lastAt = -1;
    this.#lastStates = new Set();
  }

  /** Checks before a choice that the next token is valid; otherwise recovers or throws. */
  check(context: RuleContext, state: ChoiceState): void {
    if (this.#recovering) return;
    const next = nextTokens(state);
    if (next.end || next.tokens.has(this.#input.kind(0))) return;
    if (state.again) {
      this.#reportUnwanted(context);
      this.#skipUntil(new Set([...expectedIn(context), ...followersOf(context)]));
    } else if (!this.#deleteOne(context)) throw this.#mismatch(context);
  }

  /** Returns a token instead of the next one, which does not match; throws if there is none. */
  replaceToken(context: RuleContext, { to }: TokenState): Token {
    this.#countRecovery();
    if (this.#deleteOne(context)) return this.#input.consume();
    const next = this.#input.token(0);
    if (!expectedFrom(context, to).has(next.kind)) throw this.#mismatch(context);
    this.#report(`missing ${list(expectedIn(context))} at ${quoted(next.text)}`, next);
    return next;
  }

  /** Returns the error of a choice that a token ahead ends. */
  noAlternative(ahead: number): RuleError {
    const message = `no viable alternative at input ${quoted(this.#input.textTo(ahead))}`;
    const reserved = /^no viable alternative at input '.(true|false|null)'$/.exec(message);
    const shown = reserved ? `mismatched input '${reserved[1]}' expecting IDENTIFIER` : message;
    return new RuleError(shown, this.#input.token(ahead));
  }

  /** Leaves a rule: continues at a token that can follow one of the rules in progress. */
  leaveRule(context: RuleContext, { message, token }: RuleError): void {
    this.#report(message, token);
    this.#countRecovery();
    const { state } = context;
    // A second recovery at the same position consumes at least one token.
    if (this.#lastAt === this.#input.at && this.#lastStates.has(state)) this.#input.consume();
    this.#lastAt = this.#input.at;
    this.#lastStates.add(state);
    this.#skipUntil(followersOf(context));
  }

  /** Skips the next token if the token after it is expected. */
  #deleteOne(context: RuleContext): boolean {
    if (!expectedIn(context).has(this.#input.kind(1))) return false;
    this.#reportUnwanted(context);
    this.#input.consume();
    this.matched();
    return true;
  }

  #countRecovery(): void {
    if (this.#recoveries++ < maxRecoveries) return;
    const message = `Syntax error: error recovery attempt limit exceeded: ${maxRecoveries}`;
    throw new ParsingAborted(message, this.#input.token(0).offset);
  }

  #skipUntil(kinds: ReadonlySet<TokenKind>): void {
    for (let skipped = 0; ; skipped++) {
      const kind = this.#input.kind(0);
      if (kind === '<EOF>' || kinds.has(kind)) return;
      if (skipped >= maxSkippedTokens)
        throw new ParsingAborted(`error recovery token lookahead limit exceeded: ${maxSkippedTokens}`);
      this.#input.consume();
    }
  }

  #mismatch(context: RuleContext): RuleError {
    const next = this.#input.token(0);
    return new RuleError(
      `mismatched input ${quoted(next.text)} expecting ${list(expectedIn(context))}`,
      next,
    );
  }

  #reportUnwanted(context: RuleContext): void {
    const next = this.#input.token(0);
    this.#report(`extraneous input ${quoted(next.text)} expecting ${list(expectedIn(context))}`, next);
  }

  #report(message: string, token: Token): void {
    if (this.#recovering) return;
    this.#recovering = true;
    this.#reportError(token.offset, message);
  }
}

/** Returns the tokens that can follow the rules in progress. */
function followersOf(context: RuleContext): Set<TokenKind> {
  const followers = new Set<TokenKind>();
  for (let rule: RuleContext | undefined = context; rule?.from; rule = rule.parent)
    nextTokens(rule.from.to).tokens.forEach((kind) => followers.add(kind));
  return followers;
}

function expectedIn(context: RuleContext): Set<TokenKind> {
  return expectedFrom(context, context.state);
}

/** Returns the tokens that can follow a state, including those after the end of enclosing rules. */
function expectedFrom(context: RuleContext, state: State): Set<TokenKind> {
  let next = nextTokens(state);
  const expected = new Set(next.tokens);
  for (let rule: RuleContext | undefined = context; next.end && rule; rule = rule.parent) {
    if (!rule.from) return expected.add('<EOF>');
    next = nextTokens(rule.from.to);
    next.tokens.forEach((kind) => expected.add(kind));
  }
  return expected;
}

function quoted(text: string): string {
  return `'${text.replaceAll('\t', '\\t').replaceAll('\n', '\\n').replaceAll('\r', '\\r')}'`;
}

/** Formats kinds in the order of the grammar. */
function list(kinds: ReadonlySet<TokenKind>): string {
  const names = tokenKinds.filter((kind) => kinds.has(kind));
  return names.length === 1 ? names[0]! : `{${names.join(', ')}}`;
}
