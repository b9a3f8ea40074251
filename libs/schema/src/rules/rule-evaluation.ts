import { EvaluationError, type EvaluationResult, runtimeCostLimits } from '@annex/cel';
import {
  type FieldError,
  fieldErrors,
  fieldErrorText,
  FieldPath,
  getOwn,
  goQuote,
  isObject,
  type JsonObject,
  type JsonValue,
  omittedValue,
} from '@annex/machinery';
import { Correlation } from '../check/correlation.ts';
import { OldItems } from '../check/old-items.ts';
import type { CompiledRule } from './compiled-rule.ts';
import { evaluateWith, RuleScope } from './rule-scope.ts';
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
  /** Evaluates for about ten milliseconds, unless one expression takes longer; returns true at the end. */
  proceed(): boolean;
}

/** Evaluates the rules for an object. For an update, unchanged invalid values cause only warnings. */
export function evaluateRules(tree: RuleTree, object: JsonObject, old?: JsonObject): RuleEvaluation {
  const ratchet = old ? { current: new Correlation(object, old, tree.node) } : {};
  return new Evaluation({ tree, value: object, old, at: FieldPath.root, ratchet });
}

/** Evaluates the rules of a schema for one of its defaults, both as a new value and as an unchanged one. */
export function evaluateDefaultRules(tree: RuleTree, value: JsonValue, at: FieldPath): FieldError[] {
  const evaluateAgainst = (old: JsonValue | undefined): FieldError[] => {
    const evaluation = new Evaluation({ tree, value, old, at, ratchet: {} });
    while (!evaluation.proceed());
    return evaluation.errors;
  };
  const errors = evaluateAgainst(value);
  return errors.length > 0 ? errors : evaluateAgainst(undefined);
}

/** A value whose rules are pending. */
interface Visit {
  readonly tree: RuleTree;
  readonly value: JsonValue;
  readonly old: JsonValue | undefined;
  readonly at: FieldPath;
  readonly ratchet: Ratchet;
}

/** The cost limit of a slice, in CEL cost units; about twenty thousand take a millisecond. */
const sliceCost = 200_000;
/** The cost of visiting a value, besides its rules. */
const visitCost = 20;

class Evaluation implements RuleEvaluation {
  readonly errors: FieldError[] = [];
  readonly warnings: string[] = [];
  #budget: number = runtimeCostLimits.object;
  #warningsLength = 0;
  /** The pending values, the deepest last. */
  readonly #pending: Iterator<Visit>[];
  /** The value whose rules are not all compiled yet. */
  #next: IteratorResult<Visit> | undefined;

  constructor(root: Visit) {
    this.#pending = [[root].values()];
  }

  proceed(): boolean {
    try {
      const end = this.#budget - sliceCost;
      for (let visits = 0; this.#pending.length > 0; visits++) {
        if (this.#budget - visits * visitCost < end) return false;
        const next = this.#next ?? this.#pending.at(-1)!.next();
        this.#next = undefined;
        if (next.done) this.#pending.pop();
        else if (next.value.value !== null) {
          if (!next.value.tree.prepare()) {
            this.#next = next;
            return false;
          }
          this.#visit(next.value);
        }
      }
    } catch (error) {
      if (!(error instanceof OutOfBudget)) throw error;
      this.#pending.length = 0;
    }
    return true;
  }

  #visit(visit: Visit): void {
    const { tree, value } = visit;
    this.#rules(tree, value, visit.old ?? undefined, visit.at, visit.ratchet);
    if (Array.isArray(value)) {
      if (tree.items) this.#pending.push(items(tree.items, value, visit));
    } else if (isObject(value) && (tree.additional || tree.properties.size > 0)) {
      this.#pending.push(fields(value, visit));
    }
  }

  #rules(
    tree: RuleTree,
    value: JsonValue,
    old: JsonValue | undefined,
    at: FieldPath,
    ratchet: Ratchet,
  ): void {
    const { node, rules } = tree;
    const type = node.type ?? '';
    if (!rules) {
      const detail =
        'rule compiler initialization error: failed to convert to declType for CEL validation rules';
      this.errors.push(invalid(at, type, detail));
      return;
    }
    if (rules.length === 0) return;
    if (this.#budget <= 0) this.#stop(invalid(at, type, outOfBudget));
    const scope = new RuleScope(tree, value, old);
    for (const rule of rules) {
      if (rule.error !== undefined) {
        this.errors.push(invalid(at, type, `rule compile error: ${rule.error}`));
      } else if (rule.expression && !(rule.usesOldSelf && old === undefined && !rule.rule.optionalOldSelf)) {
        if (!this.#holds(rule, scope, at)) this.#report(rule, scope, at, ratchet);
      }
    }
  }

  /** Returns true if the rule holds, or if its evaluation failed, which is reported here. */
  #holds(rule: CompiledRule, scope: RuleScope, at: FieldPath): boolean {
    const name = ruleName(rule.rule);
    const { type } = scope;
    try {
      const { value } = this.#pay(
        evaluateWith(rule.expression!, () => scope.ofRule(rule)),
        (detail) => invalid(at, type, detail),
      );
      return value === true;
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

  #report(compiled: CompiledRule, scope: RuleScope, at: FieldPath, ratchet: Ratchet): void {
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
    const { type } = scope;
    const value = type === 'object' || type === 'array' ? omittedValue : scope.json;
    add(errorFor(rule.reason, path, value, message ?? ruleMessage(rule)));
  }

  #warn(error: FieldError): void {
    if (this.#warningsLength > maxRuleWarningsLength) return;
    const text = fieldErrorText(error);
    this.#warningsLength += text.length;
    this.warnings.push(text);
  }

  /** Returns the result of the message expression; undefined if it cannot be shown. */
  #message(
    { message, rule }: CompiledRule,
    scope: RuleScope,
    end: (detail: string) => never,
  ): string | undefined {
    if (!message) return undefined;
    try {
      const { value } = this.#payMessage(
        evaluateWith(message, () => scope.ofMessage()),
        end,
      );
      const text = typeof value === 'string' ? value.trim() : '';
      const presentable = text !== '' && !text.includes('\n') && byteLength(text) <= maxRuleMessageBytes;
      return presentable ? text : undefined;
    } catch (error) {
      if (!(error instanceof EvaluationError)) throw error;
      this.#payMessage(error, end);
      if (!error.cancelled) return undefined;
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

function* items(of: RuleTree, values: JsonValue[], { tree, old, at, ratchet }: Visit): Iterator<Visit> {
  const oldItems = new OldItems(tree.node, Array.isArray(old) ? old : []);
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

const isUnchanged = ({ current, ancestor }: Ratchet): boolean =>
  (current ?? ancestor)?.isUnchanged() ?? false;

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
