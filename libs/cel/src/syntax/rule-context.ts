import type { AlternativeName, Label, Rule, RuleState, State } from './grammar.ts';
import type { Token } from './token.ts';

const noTokens: readonly Token[] = [];
const noParts: readonly unknown[] = [];

/** A rule in progress: where the parser is in it, and what its node is built from. */
export class RuleContext {
  readonly rule: Rule;
  /** The rule that entered this one, and where. */
  readonly parent: RuleContext | undefined;
  readonly from: RuleState | undefined;
  readonly start: Token;
  /** The number of errors in nodes before this one. */
  readonly firstIssue: number;
  state: State;
  alternative: AlternativeName | undefined = undefined;
  prefix: Token | undefined = undefined;
  ops = noTokens;
  ids = noTokens;
  /** The results of the rules that this one entered. */
  parts = noParts;

  constructor(
    rule: Rule,
    parent: RuleContext | undefined,
    from: RuleState | undefined,
    start: Token,
    firstIssue: number,
  ) {
    this.rule = rule;
    this.parent = parent;
    this.from = from;
    this.start = start;
    this.firstIssue = firstIssue;
    this.state = rule.first;
  }

  addToken(label: Label, token: Token): void {
    if (label === 'op') this.ops = appended(this.ops, token);
    else if (label === 'id') this.ids = appended(this.ids, token);
    else this.prefix = token;
  }

  addPart(part: unknown): void {
    this.parts = appended(this.parts, part);
  }

  /** Begins the next node of this rule; the last one is its first part. */
  enclose(node: unknown): void {
    this.parts = [node];
    this.ops = noTokens;
    this.ids = noTokens;
    this.prefix = undefined;
  }
}

/** Adds an item to a list of this context; most lists are empty or have one item. */
function appended<T>(list: readonly T[], item: T): readonly T[] {
  if (list.length === 0) return [item];
  (list as T[]).push(item);
  return list;
}
