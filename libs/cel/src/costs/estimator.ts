import { finish, type Passes } from '@annex/machinery';
import type { Environment } from '../environment.ts';
import { inPasses, type Recursion, visit } from '../syntax/visit-in-passes.ts';
import type {
  Call,
  Comprehension,
  Expr,
  Ident,
  ListLiteral,
  MapLiteral,
  Select,
  StructLiteral,
} from '../syntax/expr.ts';
import type { CheckedExpr } from '../typing/checked.ts';
import { type CelType, types } from '../typing/type.ts';
import type { CallEstimate, CostCall, CostNode, SizeEstimator } from './cost.ts';
import { EstimatedSizes } from './estimated-sizes.ts';
import { baseCosts } from './factors.ts';
import {
  addRanges,
  exactly,
  multiplyRanges,
  type Range,
  spanRanges,
  unbounded,
  unknownRange,
} from './range.ts';
import { standardEstimates } from './standard-estimates.ts';

const zero = exactly(0);
const one = exactly(1);
const sum = (ranges: readonly Range[]) => ranges.reduce(addRanges, zero);
/** The identity of `spanRanges`. */
const noRange: Range = { min: unbounded, max: 0 };

/**
 * Returns the minimum and maximum cost of an evaluation, as far as the expression and the sizes of its variables determine
 * it.
 */
export function estimateCost(
  checked: CheckedExpr,
  environment: Environment,
  sizes: SizeEstimator = () => undefined,
): Range {
  return finish(estimateCostInPasses(checked, environment, sizes));
}

/** The same, in passes over the expression. */
export function estimateCostInPasses(
  checked: CheckedExpr,
  environment: Environment,
  sizes: SizeEstimator = () => undefined,
): Passes<Range> {
  return inPasses(new CostEstimator(checked, environment, sizes).cost(checked.expr));
}

/** Estimates as cel-go does, so that cost limits reject the same expressions. */
class CostEstimator {
  readonly #checked: CheckedExpr;
  readonly #environment: Environment;
  readonly #sizes: EstimatedSizes;
  readonly #presence: Range;

  constructor(checked: CheckedExpr, environment: Environment, estimator: SizeEstimator) {
    this.#checked = checked;
    this.#environment = environment;
    this.#sizes = new EstimatedSizes(checked, estimator);
    this.#presence = environment.options.freePresenceTests ? zero : one;
  }

  cost(expr: Expr): Recursion<Range> {
    switch (expr.kind) {
      case 'literal':
        return this.#literal();
      case 'ident':
        return this.#ident(expr);
      case 'select':
        return this.#select(expr);
      case 'call':
        return this.#call(expr);
      case 'list':
        return this.#list(expr);
      case 'map':
        return this.#map(expr);
      case 'struct':
        return this.#struct(expr);
      case 'comprehension':
        return isBinding(expr) ? this.#binding(expr) : this.#fold(expr);
    }
  }

  *#literal(): Recursion<Range> {
    return zero;
  }

  *#ident(expr: Ident): Recursion<Range> {
    this.#sizes.setPath(expr, this.#sizes.local(expr.name)?.path ?? [expr.name]);
    return exactly(baseCosts.access);
  }

  *#struct({ fields }: StructLiteral): Recursion<Range> {
    const values = yield* this.#costs(fields.map(({ value }) => value));
    return addRanges(sum(values), exactly(baseCosts.struct));
  }

  *#costs(exprs: readonly Expr[]): Recursion<readonly Range[]> {
    const costs: Range[] = [];
    for (const expr of exprs) costs.push(yield* visit(this.cost(expr)));
    return costs;
  }

  #typeOf(expr: Expr): CelType {
    return this.#checked.types.get(expr.id) ?? types.dyn;
  }

  *#select(expr: Select): Recursion<Range> {
    const operand = yield* visit(this.cost(expr.operand));
    if (expr.testOnly) return addRanges(this.#presence, operand);
    const { kind } = this.#typeOf(expr.operand);
    this.#sizes.setPath(expr, [...this.#sizes.path(expr.operand), expr.field]);
    const selects = kind === 'map' || kind === 'struct' || kind === 'typeParam';
    return selects ? addRanges(operand, exactly(baseCosts.access)) : operand;
  }

  *#call(expr: Call): Recursion<Range> {
    if (expr.name === 'dyn') return yield* this.#dyn(expr);
    const argCosts = yield* this.#costs(expr.args);
    const args = expr.args.map((arg) => this.#node(arg));
    const overloads = this.#checked.references.get(expr.id)?.overloads ?? [];
    if (overloads.length === 0) return zero;
    const receiver = expr.target ? yield* visit(this.cost(expr.target)) : zero;
    const target = expr.target && this.#node(expr.target);
    let total = noRange;
    let resultSize: Range | undefined;
    for (const overload of overloads) {
      const estimate = this.#overload(expr, { overload, target, args }, argCosts);
      total = spanRanges(total, estimate.cost);
      if (estimate.resultSize)
        resultSize = resultSize ? spanRanges(resultSize, estimate.resultSize) : estimate.resultSize;
      const step = indexSteps.get(overload);
      if (step !== undefined) {
        const container = expr.args[0]!;
        resultSize = this.#sizes.entry(container)?.value;
        this.#sizes.setPath(expr, [...this.#sizes.path(container), step]);
      }
      resultSize ??= this.#sizes.size(expr);
    }
    this.#sizes.setSize(expr, resultSize);
    return addRanges(receiver, total);
  }

  /** Keeps the size and entries of the argument: `dyn()` changes only its type. */
  *#dyn(expr: Call): Recursion<Range> {
    const arg = expr.args[0]!;
    const cost = yield* visit(this.cost(arg));
    this.#sizes.copy(arg, expr);
    return addRanges(one, cost);
  }

  #overload(
    expr: Call,
    { overload, target, args }: Pick<CostCall, 'overload' | 'target' | 'args'>,
    argCosts: readonly Range[],
  ): CallEstimate {
    const call: CostCall = {
      name: expr.name,
      overload,
      target,
      args,
      size: (node) => node.size ?? this.#sizes.estimator(node) ?? unknownRange,
    };
    const declared = this.#environment.functions.get(expr.name);
    const own = declared?.overloads.find(({ id }) => id === overload)?.cost?.estimate?.(call);
    const declaredEstimate = own ?? declared?.cost?.estimate?.(call);
    if (declaredEstimate)
      return { ...declaredEstimate, cost: addRanges(declaredEstimate.cost, sum(argCosts)) };
    if (overload === 'logical_and' || overload === 'logical_or') return shortCircuit(argCosts);
    if (overload === 'conditional') return this.#conditional(expr, args, argCosts);
    if (concatenations.has(overload)) this.#sizes.joinEntries(expr, expr.args);
    const estimate = standardEstimates.get(overload)?.(call) ?? { cost: one };
    return { ...estimate, cost: addRanges(estimate.cost, sum(argCosts)) };
  }

  #conditional(expr: Call, args: readonly CostNode[], argCosts: readonly Range[]): CallEstimate {
    const [, then, otherwise] = args;
    const [condition, thenCost, otherwiseCost] = argCosts;
    this.#sizes.joinEntries(expr, expr.args.slice(1));
    return {
      cost: addRanges(condition!, spanRanges(thenCost!, otherwiseCost!)),
      resultSize: spanRanges(then!.size ?? unknownRange, otherwise!.size ?? unknownRange),
    };
  }

  *#list(expr: ListLiteral): Recursion<Range> {
    const costs = yield* this.#costs(expr.elements);
    this.#sizes.setEntry(expr, { container: 'list', key: one, value: this.#spanOf(expr.elements) });
    return sum([...costs, exactly(baseCosts.list)]);
  }

  *#map(expr: MapLiteral): Recursion<Range> {
    const costs = yield* this.#costs(expr.entries.flatMap(({ key, value }) => [key, value]));
    this.#sizes.setEntry(expr, {
      container: 'map',
      key: this.#spanOf(expr.entries.map(({ key }) => key)),
      value: this.#spanOf(expr.entries.map(({ value }) => value)),
    });
    return sum([...costs, exactly(baseCosts.map)]);
  }

  #spanOf(exprs: readonly Expr[]): Range {
    if (exprs.length === 0) return zero;
    return exprs.map((expr) => this.#sizes.sizeOrUnknown(expr)).reduce(spanRanges, noRange);
  }

  *#fold(expr: Comprehension): Recursion<Range> {
    const sizes = this.#sizes;
    const before = addRanges(yield* visit(this.cost(expr.range)), yield* visit(this.cost(expr.init)));
    sizes.enterValue(expr.accumulator, expr.init);
    if (expr.variable2 === undefined) sizes.enterElement(expr.variable, expr.range);
    else {
      sizes.enterKey(expr.variable, expr.range);
      sizes.enterEntryValue(expr.variable2, expr.range);
    }
    const condition = yield* visit(this.cost(expr.condition));
    const step = yield* visit(this.cost(expr.step));
    sizes.leave(expr.variable);
    if (expr.variable2 !== undefined) sizes.leave(expr.variable2);
    const result = yield* visit(this.cost(expr.result));
    sizes.leave(expr.accumulator);
    const count = sizes.sizeOrUnknown(expr.range);
    this.#setFoldSize(expr, count);
    return addRanges(addRanges(before, result), multiplyRanges(count, addRanges(step, condition)));
  }

  #setFoldSize(expr: Comprehension, count: Range): void {
    const { kind } = expr.init;
    if (kind === 'literal') this.#sizes.setSize(expr, this.#sizes.size(expr.init));
    if (kind !== 'list' && kind !== 'map') return;
    this.#sizes.setSize(expr, count);
    this.#sizes.setEntry(expr, this.#sizes.entry(expr.step));
  }

  *#binding(expr: Comprehension): Recursion<Range> {
    const before = addRanges(yield* visit(this.cost(expr.range)), yield* visit(this.cost(expr.init)));
    this.#sizes.enterValue(expr.accumulator, expr.init);
    const result = yield* visit(this.cost(expr.result));
    this.#sizes.leave(expr.accumulator);
    this.#sizes.copy(expr.result, expr);
    return addRanges(before, result);
  }

  #node(expr: Expr): CostNode {
    const path = this.#sizes.path(expr);
    const size = this.#sizes.size(expr);
    return { path, type: this.#typeOf(expr), expr, ...(size && { size }) };
  }
}

/** The path element that an index adds to the path of its container. */
const indexSteps = new Map([
  ['index_list', '@items'],
  ['index_map', '@values'],
]);
const concatenations: ReadonlySet<string> = new Set(['add_string', 'add_bytes', 'add_list']);

/** Excludes the cost of the right operand from the minimum: it is not always evaluated. */
function shortCircuit([left, right]: readonly Range[]): CallEstimate {
  return { cost: { min: left!.min, max: addRanges(left!, right!).max } };
}

/** Returns true for the expansion of `cel.bind`, which iterates over an empty list. */
function isBinding({ range, condition }: Comprehension): boolean {
  return (
    range.kind === 'list' &&
    range.elements.length === 0 &&
    condition.kind === 'literal' &&
    condition.value === false
  );
}
