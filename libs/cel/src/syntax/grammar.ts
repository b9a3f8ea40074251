import { type Decision, decisions } from './decisions.ts';
import type { TokenKind } from './token.ts';

/**
 * The role of a token that a node requires: operators and opening brackets, names and literals, and a prefix (a leading dot,
 * the marker `?` or a sign).
 */
export type Label = 'id' | 'op' | 'prefix';

/** A rule of the grammar. */
export interface Rule {
  readonly name: RuleName;
  readonly index: number;
  /** Set if its first part is its node, unless it has an operator. */
  readonly isOperator: boolean;
  /** Set if it can consist of a name or a literal alone. */
  readonly canBeToken: boolean;
  readonly first: State;
}

interface StateBase {
  /** What `nextTokens` returns; set when it is first needed. */
  next: Next | undefined;
}

/** A position before one of some tokens. */
export interface TokenState extends StateBase {
  readonly kind: 'token';
  readonly tokens: ReadonlySet<TokenKind>;
  readonly label: Label | undefined;
  readonly to: State;
}

/** A position before a rule; `precedence` is the minimum of its operators. */
export interface RuleState extends StateBase {
  readonly kind: 'rule';
  readonly rule: Rule;
  readonly precedence: number;
  readonly to: State;
}

/** The beginning of an alternative. */
export interface AlternativeState extends StateBase {
  readonly kind: 'alternative';
  readonly name: AlternativeName;
  readonly to: State;
}

/** A position with several options. */
export interface ChoiceState extends StateBase {
  readonly kind: 'choice';
  /** The next token selects an option, unless the decision requires more. */
  readonly options: readonly State[];
  readonly decision: Decision | undefined;
  /** Set after an iteration of a loop. */
  readonly again: boolean;
}

/** The end of a rule. */
interface EndState extends StateBase {
  readonly kind: 'end';
}

/** A position in a rule, and how the parser continues there. */
export type State = TokenState | RuleState | AlternativeState | ChoiceState | EndState;

export type RuleName = keyof typeof definitions;

/** The alternatives of a rule that build different nodes. An alternative that follows parts of its rule encloses them. */
export type AlternativeName =
  | 'binary'
  | 'createList'
  | 'createMessage'
  | 'createStruct'
  | 'globalCall'
  | 'ident'
  | 'index'
  | 'logicalNot'
  | 'memberCall'
  | 'negate'
  | 'only'
  | 'select';

/** Creates the states of a part of a rule, which ends in a state; returns its first state. */
type Part = (to: State) => State;

const operators: ReadonlySet<string> = new Set([
  'expr',
  'conditionalOr',
  'conditionalAnd',
  'relation',
  'calc',
  'member',
]);

/** The rules by name; each is complete when the grammar is. */
const rules = new Map<string, Rule & { first: State }>();

function ruleNamed(name: string): Rule & { first: State } {
  let rule = rules.get(name);
  if (!rule) {
    rule = {
      name: name as RuleName,
      index: rules.size,
      isOperator: operators.has(name),
      canBeToken: ['expr', 'unary', 'primary', 'escapeIdent'].includes(name),
      first: end,
    };
    rules.set(name, rule);
  }
  return rule;
}

/** Creates a state. All have the same properties, because the parser is faster if their objects have one shape. */
function create(
  state:
    | Omit<TokenState, 'next'>
    | Omit<RuleState, 'next'>
    | Omit<AlternativeState, 'next'>
    | Omit<ChoiceState, 'next'>
    | Omit<EndState, 'next'>,
): State {
  return { ...anyState, ...state } as State;
}
const anyState = {
  kind: undefined,
  tokens: undefined,
  label: undefined,
  rule: undefined,
  precedence: 0,
  name: undefined,
  options: undefined,
  decision: undefined,
  again: false,
  to: undefined,
  next: undefined,
};

const end = create({ kind: 'end' });

const tokens =
  (...kinds: readonly TokenKind[]): Part =>
  (to) =>
    create({ kind: 'token', tokens: new Set(kinds), label: undefined, to });

const labeled =
  (label: Label, ...kinds: readonly TokenKind[]): Part =>
  (to) =>
    create({ kind: 'token', tokens: new Set(kinds), label, to });

const rule =
  (name: string, precedence = 0): Part =>
  (to) =>
    create({ kind: 'rule', rule: ruleNamed(name), precedence, to });

const sequence =
  (...parts: readonly Part[]): Part =>
  (to) =>
    parts.reduceRight((next, part) => part(next), to);

const alternative =
  (name: AlternativeName, ...parts: readonly Part[]): Part =>
  (to) =>
    create({ kind: 'alternative', name, to: sequence(...parts)(to) });

const choose = (options: readonly State[], decision?: Decision, again = false): State =>
  create({ kind: 'choice', options, decision, again });

const choice =
  (decision: Decision, ...parts: readonly Part[]): Part =>
  (to) =>
    choose(
      parts.map((part) => part(to)),
      decision,
    );

const optional =
  (part: Part): Part =>
  (to) =>
    choose([part(to), to]);

/** Repeats a part; `least` is the minimum number of iterations. */
const loop = (least: 0 | 1, part: Part, decision?: Decision): Part => {
  return (to) => {
    const options: State[] = [];
    const first = part(choose(options, decision, true));
    options.push(first, to);
    return least === 0 ? choose(options, decision) : choose([first]);
  };
};
const star = (part: Part, decision?: Decision) => loop(0, part, decision);
const plus = (part: Part, decision?: Decision) => loop(1, part, decision);

const expr = rule('expr');
const name = labeled('id', 'IDENTIFIER');
const marker = optional(labeled('prefix', "'?'"));
const leadingDot = optional(labeled('prefix', "'.'"));
const args = sequence(labeled('op', "'('"), optional(rule('exprList')), tokens("')'"));
const entry = sequence(rule('optExpr'), labeled('op', "':'"), expr);
const field = sequence(rule('optField'), labeled('op', "':'"), expr);
const listed = (element: Part, decision?: Decision) =>
  sequence(element, star(sequence(tokens("','"), element), decision));
const operations = (operator: TokenKind, operand: string) =>
  sequence(rule(operand), star(sequence(labeled('op', operator), rule(operand))));
const literal = (open: TokenKind, list: string, close: TokenKind) =>
  sequence(labeled('op', open), optional(rule(list)), optional(tokens("','")), tokens(close));

/** https://github.com/google/cel-go/blob/master/parser/gen/CEL.g4, with left recursion as loops. */
const definitions = {
  start: sequence(expr, tokens('<EOF>')),
  expr: sequence(
    rule('conditionalOr'),
    optional(sequence(labeled('op', "'?'"), rule('conditionalOr'), tokens("':'"), expr)),
  ),
  conditionalOr: operations("'||'", 'conditionalAnd'),
  conditionalAnd: operations("'&&'", 'relation'),
  relation: sequence(
    rule('calc'),
    star(
      alternative(
        'binary',
        labeled('op', "'=='", "'!='", "'in'", "'<'", "'<='", "'>='", "'>'"),
        rule('relation', 2),
      ),
      decisions.relationLoop,
    ),
  ),
  calc: sequence(
    rule('unary'),
    star(
      choice(
        decisions.calcOperator,
        alternative('binary', labeled('op', "'*'", "'/'", "'%'"), rule('calc', 3)),
        alternative('binary', labeled('op', "'-'", "'+'"), rule('calc', 2)),
      ),
      decisions.calcLoop,
    ),
  ),
  unary: choice(
    decisions.unary,
    alternative('only', rule('member')),
    alternative('logicalNot', plus(labeled('op', "'!'")), rule('member')),
    alternative('negate', plus(labeled('op', "'-'"), decisions.negations), rule('member')),
  ),
  member: sequence(
    rule('primary'),
    star(
      choice(
        decisions.member,
        alternative('select', labeled('op', "'.'"), marker, rule('escapeIdent')),
        alternative('memberCall', tokens("'.'"), name, args),
        alternative('index', labeled('op', "'['"), marker, expr, tokens("']'")),
      ),
      decisions.memberLoop,
    ),
  ),
  primary: choice(
    decisions.primary,
    alternative('ident', leadingDot, name),
    alternative('globalCall', leadingDot, name, args),
    alternative('only', tokens("'('"), expr, tokens("')'")),
    alternative('createList', literal("'['", 'listInit', "']'")),
    alternative('createStruct', literal("'{'", 'mapInitializerList', "'}'")),
    alternative(
      'createMessage',
      leadingDot,
      name,
      star(sequence(tokens("'.'"), name)),
      literal("'{'", 'fieldInitializerList', "'}'"),
    ),
    alternative('only', rule('literal')),
  ),
  exprList: listed(expr),
  listInit: listed(rule('optExpr'), decisions.listLoop),
  fieldInitializerList: listed(field, decisions.fieldLoop),
  optField: sequence(marker, rule('escapeIdent')),
  mapInitializerList: listed(entry, decisions.listLoop),
  escapeIdent: choice(decisions.escapeIdent, name, labeled('id', 'ESC_IDENTIFIER')),
  optExpr: sequence(marker, expr),
  literal: choice(
    decisions.literal,
    sequence(optional(labeled('prefix', "'-'")), labeled('id', 'NUM_INT')),
    labeled('id', 'NUM_UINT'),
    sequence(optional(labeled('prefix', "'-'")), labeled('id', 'NUM_FLOAT')),
    labeled('id', 'STRING'),
    labeled('id', 'BYTES'),
    labeled('id', "'true'"),
    labeled('id', "'false'"),
    labeled('id', "'null'"),
  ),
} as const satisfies Readonly<Record<string, Part>>;

for (const [name, part] of Object.entries(definitions)) ruleNamed(name).first = part(end);

export const startRule: Rule = ruleNamed('start');
export const ruleCount = rules.size;

/** The tokens that can follow within a rule; `end` if the rule can end. */
export interface Next {
  readonly tokens: ReadonlySet<TokenKind>;
  readonly end: boolean;
}

/** Returns the tokens that can follow a state within its rule. */
export function nextTokens(state: State): Next {
  return (state.next ??= reach(state));
}

function reach(from: State): Next {
  const tokens = new Set<TokenKind>();
  const seen = new Set<State>();
  const visit = (state: State): void => {
    if (seen.has(state)) return;
    seen.add(state);
    switch (state.kind) {
      case 'token':
        return state.tokens.forEach((token) => tokens.add(token));
      case 'rule':
        return nextTokens(state.rule.first).tokens.forEach((token) => tokens.add(token));
      case 'alternative':
        return visit(state.to);
      case 'choice':
        return state.options.forEach(visit);
      case 'end':
        break;
    }
  };
  visit(from);
  return { tokens, end: seen.has(end) };
}
