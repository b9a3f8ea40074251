import type { TokenKind } from './token.ts';

/** A state in a rule, with the transitions to the next states. */
export interface State {
  readonly edges: readonly Edge[];
  /** Set if the parser checks the next token before a decision; `loop` after an iteration. */
  readonly check?: 'block' | 'loop';
}

/** A transition on a token, on a rule, or on no input. */
export interface Edge {
  readonly tokens?: ReadonlySet<TokenKind>;
  readonly rule?: RuleName;
  readonly to: State;
}

/** A part of a rule; `decide` names a decision that requires more than one token. */
export type Part =
  | { readonly kind: 'token'; readonly tokens: ReadonlySet<TokenKind>; readonly state: State }
  | { readonly kind: 'rule'; readonly rule: RuleName; readonly precedence: number; readonly state: State }
  | { readonly kind: 'sequence'; readonly parts: readonly Part[] }
  | {
      readonly kind: 'choice';
      readonly parts: readonly Part[];
      readonly decide: Decision;
      readonly state: State;
    }
  | { readonly kind: 'optional'; readonly part: Part; readonly state: State }
  | {
      readonly kind: 'star' | 'plus';
      readonly part: Part;
      readonly decide?: Decision;
      readonly state: State;
      readonly again: State;
    };

/** The decisions that depend on more than the next token, or on precedence. */
export type Decision =
  | 'calcLoop'
  | 'calcOperator'
  | 'escapeIdent'
  | 'fieldLoop'
  | 'listLoop'
  | 'literal'
  | 'member'
  | 'memberLoop'
  | 'negations'
  | 'primary'
  | 'relationLoop'
  | 'unary';

export type RuleName = keyof typeof definitions;

/** Creates a part that ends in a state. */
type Make = (to: State) => { readonly part: Part; readonly entry: State };

const tokens =
  (...kinds: readonly TokenKind[]): Make =>
  (to) => {
    const set = new Set(kinds);
    const state: State = { edges: [{ tokens: set, to }] };
    return { part: { kind: 'token', tokens: set, state }, entry: state };
  };

const rule =
  (name: string, precedence = 0): Make =>
  (to) => {
    const state: State = { edges: [{ rule: name as RuleName, to }] };
    return { part: { kind: 'rule', rule: name as RuleName, precedence, state }, entry: state };
  };

const sequence =
  (...makes: readonly Make[]): Make =>
  (to) => {
    const parts: Part[] = [];
    let entry = to;
    for (const make of makes.toReversed()) {
      const made = make(entry);
      parts.unshift(made.part);
      entry = made.entry;
    }
    return { part: { kind: 'sequence', parts }, entry };
  };

const choice =
  (decide: Decision, ...makes: readonly Make[]): Make =>
  (to) => {
    const made = makes.map((make) => make(to));
    const state: State = { check: 'block', edges: made.map(({ entry }) => ({ to: entry })) };
    const parts = made.map(({ part }) => part);
    return { part: { kind: 'choice', parts, decide, state }, entry: state };
  };

const optional =
  (make: Make): Make =>
  (to) => {
    const { part, entry } = make(to);
    const state: State = { check: 'block', edges: [{ to: entry }, { to }] };
    return { part: { kind: 'optional', part, state }, entry: state };
  };

const loop =
  (kind: 'star' | 'plus', make: Make, decide?: Decision): Make =>
  (to) => {
    const edges: Edge[] = [];
    const again: State = { check: 'loop', edges };
    const { part, entry } = make(again);
    edges.push({ to: entry }, { to });
    const state: State = { check: 'block', edges: kind === 'star' ? edges : [{ to: entry }] };
    return { part: { kind, part, state, again, ...(decide && { decide }) }, entry: state };
  };
const star = (make: Make, decide?: Decision) => loop('star', make, decide);
const plus = (make: Make, decide?: Decision) => loop('plus', make, decide);

const expr = rule('expr');
const name = tokens('IDENTIFIER');
const dot = tokens("'.'");
const marker = optional(tokens("'?'"));
const leadingDot = optional(dot);
const args = sequence(tokens("'('"), optional(rule('exprList')), tokens("')'"));
const entry = sequence(rule('optExpr'), tokens("':'"), expr);
const field = sequence(rule('optField'), tokens("':'"), expr);
const comma = tokens("','");
const listed = (element: Make, decide?: Decision) =>
  sequence(element, star(sequence(comma, element), decide));
const literal = (list: string) => sequence(optional(rule(list)), optional(comma));

/** https://github.com/google/cel-go/blob/master/parser/gen/CEL.g4, with left recursion as loops. */
const definitions = {
  start: sequence(expr, tokens('<EOF>')),
  expr: sequence(
    rule('conditionalOr'),
    optional(sequence(tokens("'?'"), rule('conditionalOr'), tokens("':'"), expr)),
  ),
  conditionalOr: sequence(rule('conditionalAnd'), star(sequence(tokens("'||'"), rule('conditionalAnd')))),
  conditionalAnd: sequence(rule('relation'), star(sequence(tokens("'&&'"), rule('relation')))),
  relation: sequence(
    rule('calc'),
    star(
      sequence(tokens("'=='", "'!='", "'in'", "'<'", "'<='", "'>='", "'>'"), rule('relation', 2)),
      'relationLoop',
    ),
  ),
  calc: sequence(
    rule('unary'),
    star(
      choice(
        'calcOperator',
        sequence(tokens("'*'", "'/'", "'%'"), rule('calc', 3)),
        sequence(tokens("'-'", "'+'"), rule('calc', 2)),
      ),
      'calcLoop',
    ),
  ),
  unary: choice(
    'unary',
    rule('member'),
    sequence(plus(tokens("'!'")), rule('member')),
    sequence(plus(tokens("'-'"), 'negations'), rule('member')),
  ),
  member: sequence(
    rule('primary'),
    star(
      choice(
        'member',
        sequence(dot, marker, rule('escapeIdent')),
        sequence(dot, name, args),
        sequence(tokens("'['"), marker, expr, tokens("']'")),
      ),
      'memberLoop',
    ),
  ),
  primary: choice(
    'primary',
    sequence(leadingDot, name),
    sequence(leadingDot, name, args),
    sequence(tokens("'('"), expr, tokens("')'")),
    sequence(tokens("'['"), literal('listInit'), tokens("']'")),
    sequence(tokens("'{'"), literal('mapInitializerList'), tokens("'}'")),
    sequence(
      leadingDot,
      name,
      star(sequence(dot, name)),
      tokens("'{'"),
      literal('fieldInitializerList'),
      tokens("'}'"),
    ),
    rule('literal'),
  ),
  exprList: listed(expr),
  listInit: listed(rule('optExpr'), 'listLoop'),
  fieldInitializerList: listed(field, 'fieldLoop'),
  optField: sequence(marker, rule('escapeIdent')),
  mapInitializerList: listed(entry, 'listLoop'),
  escapeIdent: choice('escapeIdent', name, tokens('ESC_IDENTIFIER')),
  optExpr: sequence(marker, expr),
  literal: choice(
    'literal',
    sequence(optional(tokens("'-'")), tokens('NUM_INT')),
    tokens('NUM_UINT'),
    sequence(optional(tokens("'-'")), tokens('NUM_FLOAT')),
    tokens('STRING'),
    tokens('BYTES'),
    tokens("'true'"),
    tokens("'false'"),
    tokens("'null'"),
  ),
} as const satisfies Readonly<Record<string, Make>>;

/** The final state of each rule. */
export const ruleEnd: State = { edges: [] };

/** The rules, each with its entry state. */
export const rules = new Map(
  Object.entries(definitions).map(([name, make]) => [name as RuleName, make(ruleEnd)]),
);

/** The tokens that can follow within a rule; `end` if the rule can end. */
export interface Next {
  readonly tokens: ReadonlySet<TokenKind>;
  readonly end: boolean;
}

const nexts = new Map<State, Next>();

/** Returns the tokens that can follow a state within its rule; cached by state. */
export function nextTokens(state: State): Next {
  let next = nexts.get(state);
  if (!next) nexts.set(state, (next = reach(state)));
  return next;
}

function reach(from: State): Next {
  const found = new Set<TokenKind>();
  const seen = new Set<State>();
  let end = false;
  const visit = (state: State): void => {
    if (seen.has(state)) return;
    seen.add(state);
    if (state === ruleEnd) end = true;
    for (const edge of state.edges) {
      if (edge.tokens) edge.tokens.forEach((token) => found.add(token));
      else if (edge.rule) nextTokens(rules.get(edge.rule)!.entry).tokens.forEach((token) => found.add(token));
      else visit(edge.to);
    }
  };
  visit(from);
  return { tokens: found, end };
}
