import { pushAll } from '@annex/machinery';
import { double, type Value, Uint } from '../values/value.ts';
import { copyExpr } from './copy.ts';
import { accumulatorName, type Call, type Expr, type MapEntry, type StructField } from './expr.ts';
import type { Macro, MacroBuilder } from './macro.ts';
import { ExpressionLimitError, maxExpressionDepth } from './expression-limit.ts';
import { beforeText, type Issue } from './source.ts';
import type { Token } from './token.ts';
import { unescapeBytes, UnescapeError, unescapeString } from './unescape.ts';

/** The syntax of an environment. */
export interface ParseOptions {
  readonly macros: ReadonlyMap<string, Macro>;
  readonly optionalSyntax: boolean;
  readonly escapedIdentifiers: boolean;
}

/** A parsed element of a list or map. */
export interface OptionalElement<T> {
  readonly value: T;
  readonly optional: boolean;
}

/** `a && b && c`: terms with an operator between each two of them. */
interface Chain {
  readonly name: string;
  readonly terms: readonly Expr[];
  readonly operators: readonly Token[];
}

/** The maximum number of nodes that the macros of an expression copy. Each call in a chain of `optMap` doubles their number. */
export const maxCopiedNodes = 50_000;

class MacroError extends Error {
  readonly at: number;

  constructor(at: number, message: string) {
    super(message);
    this.at = at;
  }
}

/** Creates syntax tree nodes, expands macros, and reports errors in literals and names. */
export class TreeBuilder {
  readonly options: ParseOptions;
  readonly #issues: Issue[] = [];
  #lastId = 0;
  #copies = 0;
  /** The heights of trees by root id: operators, selections and member calls on the longest path. */
  readonly #heights = new Map<number, number>();

  constructor(options: ParseOptions) {
    this.options = options;
  }

  /** The errors of nodes, in the order of the nodes. */
  get issues(): readonly Issue[] {
    return this.#issues;
  }

  /** Removes the errors from an index on; returns them. */
  takeIssues(from: number): readonly Issue[] {
    return this.#issues.splice(from);
  }

  /** Adds errors that were taken. */
  addIssues(issues: readonly Issue[]): void {
    pushAll(this.#issues, issues);
  }

  /** Reports an error and returns a placeholder node. */
  reportError(offset: number, message: string): Expr {
    this.#issues.push({ offset, message });
    return this.placeholder(offset);
  }

  /** Returns a node for a text with an error. */
  placeholder(offset = beforeText): Expr {
    return this.literal(offset, null);
  }

  literal(offset: number, value: Value): Expr {
    return { kind: 'literal', id: ++this.#lastId, offset, value };
  }

  ident(offset: number, name: string): Expr {
    return { kind: 'ident', id: ++this.#lastId, offset, name };
  }

  select(offset: number, operand: Expr, field: string): Expr {
    const expr: Expr = { kind: 'select', id: ++this.#lastId, offset, operand, field, testOnly: false };
    return this.#measured(expr, [operand], 1);
  }

  optionalSelect(dot: Token, operand: Expr, field: Expr): Expr {
    if (!this.options.optionalSyntax) return this.reportError(dot.offset, "unsupported syntax '.?'");
    const args = [operand, field];
    return this.#measured(this.call(dot.offset, '_?._', args), args, 1);
  }

  index(open: Token, target: Expr, index: Expr, optional: boolean): Expr {
    if (optional && !this.options.optionalSyntax)
      return this.reportError(open.offset, "unsupported syntax '[?'");
    return this.callOrMacro(open.offset, optional ? '_[?_]' : '_[_]', undefined, [target, index]);
  }

  callOrMacro(offset: number, name: string, target: Expr | undefined, args: readonly Expr[]): Expr {
    const expr = this.#expanded(offset, name, target, args);
    const deepens = target !== undefined || binaryOperator.test(name);
    return this.#measured(expr, target ? [target, ...args] : args, deepens ? 1 : 0);
  }

  #expanded(offset: number, name: string, target: Expr | undefined, args: readonly Expr[]): Expr {
    const { macros } = this.options;
    const member = target !== undefined;
    const macro = macros.get(`${name}:${args.length}:${member}`) ?? macros.get(`${name}:-1:${member}`);
    const builder = macro && this.#macroBuilder(offset);
    try {
      const expansion = builder && macro.expand(builder, args, target);
      if (expansion) return expansion;
    } catch (error) {
      if (error instanceof MacroError) return this.reportError(error.at, error.message);
      throw error;
    }
    return this.call(offset, name, args, target);
  }

  call(offset: number, name: string, args: readonly Expr[], target?: Expr): Call {
    return { kind: 'call', id: ++this.#lastId, offset, name, args, ...(target && { target }) };
  }

  /** Creates a balanced tree of `&&` or `||`, so that a long chain stays shallow. */
  balanced(chain: Chain, low = 0, high = chain.operators.length - 1): Expr {
    const { name, terms, operators } = chain;
    const middle = (low + high + 1) >> 1;
    const left = middle === low ? terms[middle]! : this.balanced(chain, low, middle - 1);
    const right = middle === high ? terms[middle + 1]! : this.balanced(chain, middle + 1, high);
    return this.#measured(this.call(operators[middle]!.offset, name, [left, right]), [left, right], 0);
  }

  /** Records the height of a tree; throws `ExpressionLimitError` if it exceeds the limit. */
  #measured<E extends Expr>(expr: E, parts: readonly Expr[], own: 0 | 1): E {
    let height = 0;
    for (const { id } of parts) height = Math.max(height, this.#heights.get(id) ?? 0);
    height += own;
    if (height > maxExpressionDepth) throw new ExpressionLimitError('max recursion depth exceeded');
    if (height > 0) this.#heights.set(expr.id, height);
    return expr;
  }

  list(offset: number, elements: readonly OptionalElement<Expr>[]): Expr {
    const optional = new Set<number>();
    elements.forEach((element, i) => element.optional && optional.add(i));
    const values = elements.map(({ value }) => value);
    const expr: Expr = { kind: 'list', id: ++this.#lastId, offset, elements: values, optional };
    return this.#measured(expr, values, 0);
  }

  mapEntry(offset: number, key: OptionalElement<Expr>, value: Expr): MapEntry {
    return { id: ++this.#lastId, offset, key: key.value, value, optional: key.optional };
  }

  map(offset: number, entries: readonly MapEntry[]): Expr {
    const parts = entries.flatMap(({ key, value }) => [key, value]);
    return this.#measured({ kind: 'map', id: ++this.#lastId, offset, entries }, parts, 0);
  }

  structField(offset: number, name: OptionalElement<string>, value: Expr): StructField {
    return { id: ++this.#lastId, offset, name: name.value, value, optional: name.optional };
  }

  struct(offset: number, typeName: string, fields: readonly StructField[]): Expr {
    const parts = fields.map(({ value }) => value);
    return this.#measured({ kind: 'struct', id: ++this.#lastId, offset, typeName, fields }, parts, 0);
  }

  int(token: Token, sign: Token | undefined): Expr {
    const offset = (sign ?? token).offset;
    const value = BigInt(token.text) * (sign ? -1n : 1n);
    if (BigInt.asIntN(64, value) !== value) return this.reportError(offset, 'invalid int literal');
    return this.literal(offset, narrow(value));
  }

  uint(token: Token): Expr {
    const value = BigInt(token.text.slice(0, -1));
    if (BigInt.asUintN(64, value) !== value) return this.reportError(token.offset, 'invalid uint literal');
    return this.literal(token.offset, new Uint(narrow(value)));
  }

  double(token: Token, sign: Token | undefined): Expr {
    const offset = (sign ?? token).offset;
    const value = Number(token.text);
    if (!Number.isFinite(value)) return this.reportError(offset, 'invalid double literal');
    return this.literal(offset, double(sign ? -value : value));
  }

  string(token: Token): Expr {
    return this.#unescaped(token, () => unescapeString(token.text));
  }

  bytes(token: Token): Expr {
    return this.#unescaped(token, () => unescapeBytes(token.text.slice(1)));
  }

  #unescaped(token: Token, unescape: () => Value): Expr {
    try {
      return this.literal(token.offset, unescape());
    } catch (error) {
      if (error instanceof UnescapeError) return this.reportError(token.offset, error.message);
      throw error;
    }
  }

  #copyId(): number {
    if (++this.#copies > maxCopiedNodes)
      throw new ExpressionLimitError(
        `macros copy their operands too often: limit of ${maxCopiedNodes} nodes`,
      );
    return ++this.#lastId;
  }

  #macroBuilder(offset: number): MacroBuilder {
    const plain = (value: Expr): OptionalElement<Expr> => ({ value, optional: false });
    return {
      literal: (value) => this.literal(offset, value),
      ident: (name) => this.ident(offset, name),
      call: (name, ...args) => this.call(offset, name, args),
      member: (target, name, ...args) => this.call(offset, name, args, target),
      list: (...elements) => this.list(offset, elements.map(plain)),
      map: (...entries) =>
        this.map(
          offset,
          entries.map(([k, v]) => this.mapEntry(offset, plain(k), v)),
        ),
      presence: (operand, field) => ({
        kind: 'select',
        id: ++this.#lastId,
        offset,
        operand,
        field,
        testOnly: true,
      }),
      fold: (parts) => ({ kind: 'comprehension', id: ++this.#lastId, offset, ...parts }),
      bind: (name, value, result) => ({
        kind: 'comprehension',
        id: ++this.#lastId,
        offset,
        range: this.list(offset, []),
        variable: '#unused',
        accumulator: name,
        init: value,
        condition: this.literal(offset, false),
        step: this.ident(offset, name),
        result,
      }),
      copy: (expr) => copyExpr(expr, () => this.#copyId()),
      fail: (at, message) => {
        throw new MacroError(at.offset, message);
      },
    };
  }
}

/** The names of operators with two or three operands, which no function can have. */
const binaryOperator = /^(?:_\W|@in$)/;

/** Returns true if a macro variable would hide the accumulator. */
export function hidesAccumulator(name: string): boolean {
  return name === accumulatorName || name === '__result__';
}

function narrow(value: bigint): number | bigint {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}
