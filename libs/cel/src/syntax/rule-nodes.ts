import type { Expr, MapEntry, StructField } from './expr.ts';
import type { AlternativeName, Rule, RuleName } from './grammar.ts';
import type { RuleContext } from './rule-context.ts';
import type { Issue } from './source.ts';
import type { Token } from './token.ts';
import type { OptionalElement, TreeBuilder } from './tree-builder.ts';

/** An element, key or field; `firstIssue` is the number of errors in nodes before it. */
interface Element<T> extends OptionalElement<T> {
  readonly marker: Token | undefined;
  readonly offset: number;
  readonly firstIssue: number;
}

/** The name of a field; undefined after a syntax error. */
interface FieldName {
  readonly token: Token | undefined;
  readonly offset: number;
}

/**
 * Returns the node of a rule that ended, or the names or elements that it parsed. Where a syntax error left a rule
 * incomplete, the node is what cel-go makes of it, so that the errors of the nodes around it are cel-go's.
 */
export function buildRule(context: RuleContext, tree: TreeBuilder): unknown {
  return builders[context.alternative ?? context.rule.name](context, tree);
}

/** Returns what `buildRule` returns for a rule that consists of a name or a literal alone. */
export function buildToken(rule: Rule, token: Token, tree: TreeBuilder): unknown {
  if (rule.name === 'escapeIdent') return { token, offset: token.offset } satisfies FieldName;
  return token.kind === 'IDENTIFIER'
    ? identNode(token, undefined, token, tree)
    : literalNode(token, undefined, tree);
}

/** Returns true for rules of operators that have parsed an operand only: its node is theirs. */
export function isOnlyPart({ rule, alternative, ops, parts }: RuleContext): boolean {
  if (alternative !== undefined) return alternative === 'only' && parts.length > 0;
  return ops.length === 0 && parts.length === 1 && rule.isOperator;
}

type Builder = (context: RuleContext, tree: TreeBuilder) => unknown;

const builders: Readonly<Record<RuleName | AlternativeName, Builder>> = {
  start: first,
  expr(context, tree) {
    const { ops } = context;
    if (ops.length === 0) return first(context, tree);
    const operands = [0, 1, 2].map((i) => part(context, tree, i));
    return tree.callOrMacro(ops[0]!.offset, '_?_:_', undefined, operands);
  },
  conditionalOr: (context, tree) => chain(context, tree, '_||_'),
  conditionalAnd: (context, tree) => chain(context, tree, '_&&_'),
  relation: first,
  calc: first,
  binary(context, tree) {
    const op = context.ops[0]!;
    const operands = [part(context, tree, 0), part(context, tree, 1)];
    return tree.callOrMacro(op.offset, binaryOperators.get(op.text)!, undefined, operands);
  },
  unary: ({ start }, tree) => tree.literal(start.offset, '<<error>>'),
  only: first,
  logicalNot: (context, tree) => prefixed(context, tree, '!_'),
  negate: (context, tree) => prefixed(context, tree, '-_'),
  member: first,
  select,
  memberCall(context, tree) {
    const [id] = context.ids;
    if (!id) return tree.placeholder(context.start.offset);
    const target = part(context, tree, 0);
    return tree.callOrMacro(opOffset(context), id.text, target, elements<Expr>(context.parts[1]));
  },
  index(context, tree) {
    const target = part(context, tree, 0);
    return tree.index(context.ops[0]!, target, part(context, tree, 1), context.prefix !== undefined);
  },
  primary: (_, tree) => tree.placeholder(),
  ident: ({ ids, prefix, start }, tree) => identNode(ids[0], prefix, start, tree),
  globalCall(context, tree) {
    const { ids, prefix, start, firstIssue } = context;
    const name = nameOf(ids[0], prefix);
    if (name !== undefined)
      return tree.callOrMacro(opOffset(context), name, undefined, elements<Expr>(context.parts[0]));
    // The arguments of a call with a reserved name are not visited.
    tree.takeIssues(firstIssue);
    return identNode(ids[0], prefix, start, tree);
  },
  createList: (context, tree) =>
    tree.list(opOffset(context), elements<OptionalElement<Expr>>(context.parts[0])),
  createStruct: (context, tree) => tree.map(opOffset(context), elements<MapEntry>(context.parts[0])),
  createMessage(context, tree) {
    const name = context.ids.map(({ text }) => text).join('.');
    const fields = elements<StructField>(context.parts[0]);
    return tree.struct(opOffset(context), (context.prefix ? '.' : '') + name, fields);
  },
  exprList: ({ parts }) => parts,
  listInit({ parts }, tree) {
    for (const { marker } of parts as Element<Expr>[])
      if (marker && !tree.options.optionalSyntax) tree.reportError(marker.offset, "unsupported syntax '?'");
    return parts;
  },
  optExpr: (context, tree) => element(context, part(context, tree, 0)),
  mapInitializerList: (context, tree) =>
    entries<Expr, MapEntry>(context, tree, (colon, key, value) => tree.mapEntry(colon.offset, key, value)),
  fieldInitializerList: (context, tree) =>
    entries<FieldName, StructField>(context, tree, (colon, { value: name, optional }, value) => {
      const text = fieldName(name, context.start.offset, tree);
      if (text === undefined) return undefined;
      return tree.structField(colon.offset, { value: text, optional }, value);
    }),
  optField: (context) => element(context, context.parts[0] as FieldName),
  escapeIdent: ({ ids, start }): FieldName => ({ token: ids[0], offset: start.offset }),
  literal: ({ ids, prefix }, tree) => literalNode(ids[0], prefix, tree),
};

/** Returns the node of a part; a placeholder if a syntax error precedes it. */
function part({ parts }: RuleContext, tree: TreeBuilder, index: number): Expr {
  return (parts[index] as Expr | undefined) ?? tree.placeholder();
}

function first(context: RuleContext, tree: TreeBuilder): Expr {
  return part(context, tree, 0);
}

/** Returns the elements of a list that can be absent. */
function elements<T>(list: unknown): readonly T[] {
  return (list as readonly T[] | undefined) ?? [];
}

function element<T>({ prefix, start, firstIssue }: RuleContext, value: T): Element<T> {
  return { value, optional: prefix !== undefined, marker: prefix, offset: start.offset, firstIssue };
}

/** Returns the offset of the operator or the opening bracket. */
function opOffset({ ops, start }: RuleContext): number {
  return (ops[0] ?? start).offset;
}

function chain(context: RuleContext, tree: TreeBuilder, name: string): Expr {
  const { parts, ops } = context;
  if (ops.length === 0) return first(context, tree);
  return tree.balanced({ name, terms: parts as Expr[], operators: ops });
}

function prefixed(context: RuleContext, tree: TreeBuilder, name: string): Expr {
  const { ops } = context;
  const operand = first(context, tree);
  return ops.length % 2 === 0 ? operand : tree.callOrMacro(ops[0]!.offset, name, undefined, [operand]);
}

function select(context: RuleContext, tree: TreeBuilder): Expr {
  const { parts, ops, prefix, start } = context;
  const operand = part(context, tree, 0);
  const id = parts[1] as FieldName | undefined;
  if (!id) return tree.placeholder(start.offset);
  const name = fieldName(id, id.offset, tree) ?? '';
  if (prefix) return tree.optionalSelect(ops[0]!, operand, tree.literal(id.offset, name));
  return tree.select(ops[0]!.offset, operand, name);
}

/** Returns the name of a field; undefined after an error. */
function fieldName({ token }: FieldName, errorOffset: number, tree: TreeBuilder): string | undefined {
  if (token && token.kind !== 'ESC_IDENTIFIER') return token.text;
  if (token && tree.options.escapedIdentifiers) return token.text.slice(1, -1);
  tree.reportError(errorOffset, token ? "unsupported syntax: '`'" : 'unsupported ident kind');
  return undefined;
}

/** Returns the name of a variable or function, undefined if there is none or it is reserved. */
function nameOf(id: Token | undefined, leadingDot: Token | undefined): string | undefined {
  if (!id || reservedNames.has(id.text)) return undefined;
  return leadingDot ? `.${id.text}` : id.text;
}

function identNode(
  id: Token | undefined,
  leadingDot: Token | undefined,
  { offset }: Token,
  tree: TreeBuilder,
): Expr {
  const name = nameOf(id, leadingDot);
  if (name !== undefined) return tree.ident(id!.offset, name);
  return id ? tree.reportError(offset, `reserved identifier: ${id.text}`) : tree.placeholder(offset);
}

/** Builds the complete entries of a map or message; the errors of other entries are not reported. */
function entries<K, T>(
  context: RuleContext,
  tree: TreeBuilder,
  build: (colon: Token, key: Element<K>, value: Expr) => T | undefined,
): readonly T[] {
  const { parts, ops, firstIssue } = context;
  const issues = tree.issues.length > firstIssue ? tree.takeIssues(firstIssue) : noIssues;
  const built: T[] = [];
  for (let i = 0; i + 1 < parts.length; i += 2) {
    const key = parts[i] as Element<K>;
    if (key.marker && !tree.options.optionalSyntax) {
      tree.reportError(key.offset, "unsupported syntax '?'");
      continue;
    }
    const entry = build(ops[i / 2]!, key, parts[i + 1] as Expr);
    if (entry === undefined) continue;
    const next = parts[i + 2] as Element<K> | undefined;
    if (issues.length > 0)
      tree.addIssues(issues.slice(key.firstIssue - firstIssue, next && next.firstIssue - firstIssue));
    built.push(entry);
  }
  return parts.length % 2 === 0 ? built : [];
}

const noIssues: readonly Issue[] = [];

function literalNode(token: Token | undefined, sign: Token | undefined, tree: TreeBuilder): Expr {
  switch (token?.kind) {
    case 'NUM_INT':
      return tree.int(token, sign);
    case 'NUM_UINT':
      return tree.uint(token);
    case 'NUM_FLOAT':
      return tree.double(token, sign);
    case 'STRING':
      return tree.string(token);
    case 'BYTES':
      return tree.bytes(token);
    case "'true'":
    case "'false'":
      return tree.literal(token.offset, token.kind === "'true'");
    case "'null'":
      return tree.literal(token.offset, null);
    default:
      return tree.placeholder();
  }
}

/** The functions of operators with two operands. */
const binaryOperators: ReadonlyMap<string, string> = new Map([
  ['in', '@in'],
  ...['<', '<=', '>=', '>', '==', '!=', '+', '-', '*', '/', '%'].map((op) => [op, `_${op}_`] as const),
]);

/** The reserved names of variables and functions. */
const reservedNames: ReadonlySet<string> = new Set([
  'as',
  'break',
  'const',
  'continue',
  'else',
  'false',
  'for',
  'function',
  'if',
  'import',
  'in',
  'let',
  'loop',
  'package',
  'namespace',
  'null',
  'return',
  'true',
  'var',
  'void',
  'while',
]);
