import { EvaluationError, type EvaluationResult, PausedEvaluation, runtimeCostLimits } from '@annex/cel';
import {
  type FieldError,
  fieldErrors,
  fieldErrorText,
  FieldPath,
  finish,
  getOwn,
  goQuote,
  isObject,
  type JsonObject,
  type JsonValue,
  omittedValue,
  type Passes,
} from '@annex/machinery';
import { Correlation } from '../check/correlation.ts';
import { OldItems } from '../check/old-items.ts';
import type { CompiledExpression, CompiledRule } from './compiled-rule.ts';
import { beginWith, RuleScope, type Variables } from './rule-scope.ts';
import type { RuleTree } from './rule-tree.ts';
import { ruleMessage, ruleName } from './validation-rule.ts';

const { duplicate, forbidden, invalid, required } = fieldErrors;

/** The correlations that determine whether a value is unchanged. */
interface Ratchet {
  readonly current?: Correlation | undefined;
  /** The correlation of the nearest ancestor with an old value. */
  readonly ancestor?: Correlation | undefined;
}

/** Characters of the warnings of one object; a response has room for fewer. Each warning can quote a value as large as the body. */
export const maxRuleWarningsLength = 1024 * 1024;

/** Ends the evaluation of all rules of an object; the errors so far are its result. */
class OutOfBudget extends Error {}

/**
 * The time-sliced evaluation of an object's rules. `errors` reject the write; `warnings` are for unchanged values that were
 * invalid before.
 */
export interface RuleEvaluation {
  readonly errors: FieldError[];
  readonly warnings: string[];
  /** Evaluates for about ten milliseconds at most; returns true at the end. */
  proceed(): boolean;
}

/** Evaluates the rules for an object. For an update, unchanged invalid values cause only warnings. */
export function evaluateRules(tree: RuleTree, object: JsonObject, old?: JsonObject): RuleEvaluation {
  const ratchet = old ? { current: new Correlation(object, old, tree.node) } : {};
  return new Evaluation({ tree, value: object, old, at: FieldPath.root, ratchet });
}

/** Evaluates the rules of a schema for one of its defaults in passes, both as a new value and as an unchanged one. */
export function* evaluateDefaultRules(tree: RuleTree, value: JsonValue, at: FieldPath): Passes<FieldError[]> {
  const evaluateAgainst = function* (old: JsonValue | undefined): Passes<FieldError[]> {
    const evaluation = new Evaluation({ tree, value, old, at, ratchet: {} });
    while (!evaluation.proceed()) yield;
    return evaluation.errors;
  };
  const errors = yield* evaluateAgainst(value);
  return errors.length > 0 ? errors : yield* evaluateAgainst(undefined);
}

/** A value whose rules are pending. */
interface Visit {
  readonly tree: RuleTree;
  readonly value: JsonValue;
  readonly old: JsonValue | undefined;
  readonly at: FieldPath;
  readonly ratchet: Ratchet;
}

/** The end of a pass of other work. */
type Pass = 'long' | undefined;

/** The duration of a slice in milliseconds; an expression that takes longer than five ends it. */
const sliceMs = 5;
/** The time is checked after this cost, in CEL cost units. */
const checkedCost = 1000;
/** The cost of visiting a value, besides its rules. */
const visitCost = 20;

class Evaluation implements RuleEvaluation {
  readonly errors: FieldError[] = [];
  readonly warnings: string[] = [];
  #budget: number = runtimeCostLimits.object;
  #warningsLength = 0;
  /** The pending values, the deepest last, between passes of the work before them. */
  readonly #pending: Iterator<Visit | Pass>[];
  /** When the slice ends, and after which work the clock is checked next; work that costs the budget does not count in `#work`. */
  #end = 0;
  #checkAt = 0;
  #work = 0;
  /** The value whose rules are not all compiled or evaluated yet, and the rule where its evaluation stopped. */
  #visit: Visit | undefined;
  #scope: RuleScope | undefined;
  #rule = 0;
  /** True if the rule does not hold, and its message is evaluated. */
  #isViolated = false;
  #paused: PausedEvaluation | undefined;

  constructor(root: Visit) {
    this.#pending = [[root].values()];
  }

  proceed(): boolean {
    try {
      this.#end = performance.now() + sliceMs;
      this.#checkAt = this.#work - this.#budget + checkedCost;
      for (;;) {
        if (this.#isLate()) return false;
        this.#work += visitCost;
        this.#visit ??= this.#next();
        if (this.#visit === undefined && this.#pending.length > 0) continue;
        if (this.#visit === undefined) return true;
        if (!this.#visit.tree.prepare() || !this.#rules(this.#visit)) return false;
        this.#enter(this.#visit);
        this.#visit = undefined;
      }
    } catch (error) {
      if (!(error instanceof OutOfBudget)) throw error;
      this.#pending.length = 0;
      this.#visit = undefined;
    }
    return true;
  }

  /** Returns whether the slice took too long; looks at the clock only after some work. */
  #isLate(): boolean {
    const work = this.#work - this.#budget;
    if (work < this.#checkAt) return false;
    this.#checkAt = work + checkedCost;
    return performance.now() > this.#end;
  }

  /** Returns the next value that is not null; `undefined` at the end, and after a part of the work before it. */
  #next(): Visit | undefined {
    for (let last = this.#pending.at(-1); last !== undefined; last = this.#pending.at(-1)) {
      const { done, value } = last.next();
      if (done === true) this.#pending.pop();
      else if (typeof value !== 'object') {
        this.#work += checkedCost;
        return undefined;
      } else if (value.value !== null) return value;
    }
    return undefined;
  }

  #enter(visit: Visit): void {
    const { tree, value } = visit;
    if (Array.isArray(value)) {
      if (tree.items) this.#pending.push(items(tree.items, value, visit));
    } else if (isObject(value) && (tree.additional || tree.properties.size > 0)) {
      this.#pending.push(fields(value, visit));
    }
  }

  /** Evaluates the rules of a value; returns false if one of them is paused. */
  #rules({ tree, value, old, at, ratchet }: Visit): boolean {
    const { node, rules } = tree;
    const type = node.type ?? '';
    if (!rules) {
      const detail =
        'rule compiler initialization error: failed to convert to declType for CEL validation rules';
      this.errors.push(invalid(at, type, detail));
      return true;
    }
    if (rules.length === 0) return true;
    if (this.#budget <= 0 && this.#scope === undefined) this.#stop(invalid(at, type, outOfBudget));
    const scope = (this.#scope ??= new RuleScope(tree, value, old ?? undefined));
    while (this.#rule < rules.length) {
      if (!this.#check(rules[this.#rule]!, scope, at, ratchet, type)) return false;
      this.#isViolated = false;
      this.#rule++;
      if (this.#isLate()) return false;
    }
    this.#scope = undefined;
    this.#rule = 0;
    return true;
  }

  /** Evaluates a rule; returns false if it is paused. */
  #check(rule: CompiledRule, scope: RuleScope, at: FieldPath, ratchet: Ratchet, type: string): boolean {
    if (rule.error !== undefined) {
      this.errors.push(invalid(at, type, `rule compile error: ${rule.error}`));
      return true;
    }
    if (!rule.expression || (rule.usesOldSelf && !scope.hasOld && !rule.rule.optionalOldSelf)) return true;
    if (!this.#isViolated) {
      const holds = this.#holds(rule, scope, at);
      if (holds !== false) return holds === true;
      this.#isViolated = true;
    }
    return this.#report(rule, scope, at, ratchet);
  }

  /** Begins or continues the evaluation of an expression; returns undefined if it is paused. */
  #evaluate(expression: CompiledExpression, variables: () => Variables): EvaluationResult | undefined {
    const paused = this.#paused;
    this.#paused = undefined;
    const outcome = paused === undefined ? beginWith(expression, variables) : (paused.proceed() ?? paused);
    if (!(outcome instanceof PausedEvaluation)) return outcome;
    this.#paused = outcome;
    return undefined;
  }

  /** Returns true if the rule holds, or if its evaluation failed, which is reported here; undefined if it is paused. */
  #holds(rule: CompiledRule, scope: RuleScope, at: FieldPath): boolean | undefined {
    const name = ruleName(rule.rule);
    const { type } = scope;
    try {
      const result = this.#evaluate(rule.expression!, () => scope.ofRule(rule));
      return result && this.#pay(result, (detail) => invalid(at, type, detail)).value === true;
    } catch (error) {
      if (!(error instanceof EvaluationError)) throw error;
      if (error.cost > this.#budget) this.#stop(invalid(at, type, outOfBudget));
      this.#budget -= error.cost;
      const { message } = error;
      if (error.cancelled) {
        const detail = 'no further validation rules will be run due to call cost exceeds limit for rule';
        this.#stop(invalid(at, type, `'${message}': ${detail}: ${name}`));
      }
      const text = message.startsWith('no such overload')
        ? `'${message}': call arguments did not match a supported operator, function or macro signature for rule: ${name}`
        : `${message} evaluating rule: ${name}`;
      this.errors.push(invalid(at, type, text));
      return true;
    }
  }

  #pay(result: EvaluationResult, tooExpensive: (detail: string) => FieldError): EvaluationResult {
    if (result.cost > this.#budget) this.#stop(tooExpensive(outOfBudget));
    this.#budget -= result.cost;
    return result;
  }

  /** Adds the error of a rule that does not hold; returns false if its message is paused. */
  #report(compiled: CompiledRule, scope: RuleScope, at: FieldPath, ratchet: Ratchet): boolean {
    const { rule, fieldPath } = compiled;
    const path = fieldPath === '' ? at.toString() : [at.toString(), fieldPath].filter(Boolean).join('.');
    const add = (error: FieldError): void => {
      if (!compiled.usesOldSelf && isUnchanged(ratchet)) this.#warn(error);
      else this.errors.push(error);
    };
    const message = this.#message(compiled, scope, (detail) => {
      add(invalid(path, scope.type, detail));
      throw new OutOfBudget();
    });
    if (message === undefined) return false;
    const { type } = scope;
    const value = type === 'object' || type === 'array' ? omittedValue : scope.json;
    add(errorFor(rule.reason, path, value, message || ruleMessage(rule)));
    return true;
  }

  #warn(error: FieldError): void {
    if (this.#warningsLength > maxRuleWarningsLength) return;
    const text = fieldErrorText(error);
    this.#warningsLength += text.length;
    this.warnings.push(text);
  }

  /** Returns the result of the message expression; empty if it cannot be shown, undefined if it is paused. */
  #message(
    { message, rule }: CompiledRule,
    scope: RuleScope,
    end: (detail: string) => never,
  ): string | undefined {
    if (!message) return '';
    try {
      const result = this.#evaluate(message, () => scope.ofMessage());
      if (result === undefined) return undefined;
      const { value } = this.#payMessage(result, end);
      const text = typeof value === 'string' ? value.trim() : '';
      const presentable = text !== '' && !text.includes('\n') && byteLength(text) <= maxRuleMessageBytes;
      return presentable ? text : '';
    } catch (error) {
      if (!(error instanceof EvaluationError)) throw error;
      this.#payMessage(error, end);
      if (!error.cancelled) return '';
      const detail =
        'no further validation rules will be run due to call cost exceeds limit for messageExpression';
      return end(`${detail}: ${goQuote(rule.messageExpression)}`);
    }
  }

  #payMessage<T extends { readonly cost: number }>(outcome: T, end: (detail: string) => never): T {
    if (outcome.cost > this.#budget) {
      end(
        'messageExpression evaluation failed due to running out of cost budget, no further validation rules will be run',
      );
    }
    this.#budget -= outcome.cost;
    return outcome;
  }

  #stop(error: FieldError): never {
    this.errors.push(error);
    throw new OutOfBudget();
  }
}

function* items(
  of: RuleTree,
  values: JsonValue[],
  { tree, old, at, ratchet }: Visit,
): Iterator<Visit | Pass> {
  const oldItems = new OldItems(tree.node, Array.isArray(old) ? old : []);
  yield* oldItems.prepare();
  yield* ratchet.current?.prepareItems() ?? [];
  for (const [i, value] of values.entries()) {
    const inside = below(ratchet, ratchet.current?.item(i));
    yield { tree: of, value, old: oldItems.find(value), at: at.index(i), ratchet: inside };
  }
}

function* fields(object: JsonObject, { tree, old, at, ratchet }: Visit): Iterator<Visit> {
  const before = isObject(old) ? old : {};
  const enter = (child: RuleTree, name: string, path: FieldPath): Visit => ({
    tree: child,
    value: getOwn(object, name) ?? null,
    old: Object.hasOwn(before, name) ? before[name] : undefined,
    at: path,
    ratchet: fieldRatchet(ratchet, name),
  });
  const { additional, properties } = tree;
  if (additional) for (const name of Object.keys(object)) yield enter(additional, name, at.key(name));
  for (const [name, child] of properties) {
    if (Object.hasOwn(object, name)) yield enter(child, name, at.child(name));
  }
}

const outOfBudget =
  'validation failed due to running out of cost budget, no further validation rules will be run';
/** The maximum size of a rule's message, in bytes; a longer result of `messageExpression` is ignored. Source: apiextensions-apiserver. */
export const maxRuleMessageBytes = 5 * 1024;
const byteLength = (text: string): number => new TextEncoder().encode(text).length;

const below = ({ current, ancestor }: Ratchet, child: Correlation | undefined): Ratchet =>
  current ? { current: child, ancestor: current } : { ancestor };

/** The type of the root is the converted one, not the one sent; ignore it for changes. */
function fieldRatchet(ratchet: Ratchet, name: string): Ratchet {
  const ofRoot = ratchet.current !== undefined && ratchet.ancestor === undefined;
  if (ofRoot && (name === 'apiVersion' || name === 'kind')) return {};
  return below(ratchet, ratchet.current?.field(name));
}

function isUnchanged({ current, ancestor }: Ratchet): boolean {
  const nearest = current ?? ancestor;
  return nearest !== undefined && finish(nearest.isUnchanged());
}

function errorFor(reason: string | undefined, path: string, value: unknown, detail: string): FieldError {
  switch (reason) {
    case 'FieldValueForbidden':
      return forbidden(path, detail);
    case 'FieldValueRequired':
      return required(path, detail);
    case 'FieldValueDuplicate':
      return duplicate(path, value);
    default:
      return invalid(path, value, detail);
  }
}
