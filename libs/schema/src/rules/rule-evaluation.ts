import { EvaluationError, Failure, Optional, type Outcome, runtimeCostLimits, type Value } from '@annex/cel';
import {
  type FieldError,
  fieldErrors,
  FieldPath,
  fieldErrorText,
  goQuote,
  isObject,
  type JsonObject,
  type JsonValue,
  omittedValue,
} from '@annex/machinery';
import { Correlation } from '../correlation.ts';
import { OldItems } from '../old-items.ts';
import type { CompiledExpression, CompiledRule } from './compiled-rule.ts';
import type { RuleTree } from './rule-tree.ts';
import { ruleMessage, ruleName } from './validation-rule.ts';

const { duplicate, forbidden, invalid, required } = fieldErrors;

/** What rules have to say about an object: why it may not be written, and what is wrong and was so before. */
export interface RuleFindings {
  readonly errors: FieldError[];
  readonly warnings: string[];
}

/** What a value is compared with to tell what did not change. */
interface Ratchet {
  readonly current?: Correlation | undefined;
  /** Of the nearest value around it that has an old one. */
  readonly around?: Correlation | undefined;
}

/** Ends the evaluation of all rules of an object: its errors are all there are. */
class OutOfBudget extends Error {}

/** Asks the rules about an object; of an update, unchanged values that break a rule are only warned about. */
export function evaluateRules(tree: RuleTree, object: JsonObject, old?: JsonObject): RuleFindings {
  const ratchet = old ? { current: new Correlation(object, old, tree.node) } : {};
  return evaluate(tree, object, old, FieldPath.root, ratchet);
}

/** Asks the rules of a schema about one of its defaults: it must do as a new value and as one that stays. */
export function evaluateDefaultRules(tree: RuleTree, value: JsonValue, at: FieldPath): FieldError[] {
  const { errors } = evaluate(tree, value, value, at, {});
  return errors.length > 0 ? errors : evaluate(tree, value, undefined, at, {}).errors;
}

function evaluate(
  tree: RuleTree,
  value: JsonValue,
  old: JsonValue | undefined,
  at: FieldPath,
  ratchet: Ratchet,
): RuleFindings {
  const evaluation = new Evaluation();
  try {
    evaluation.value(tree, value, old, at, ratchet);
  } catch (error) {
    if (!(error instanceof OutOfBudget)) throw error;
  }
  return evaluation;
}

/** One walk through an object. */
class Evaluation implements RuleFindings {
  readonly errors: FieldError[] = [];
  readonly warnings: string[] = [];
  #budget: number = runtimeCostLimits.object;

  value(tree: RuleTree, value: JsonValue, old: JsonValue | undefined, at: FieldPath, ratchet: Ratchet): void {
    if (value === null) return;
    this.#rules(tree, value, old ?? undefined, at, ratchet);
    if (Array.isArray(value)) this.#items(tree, value, old, at, ratchet);
    else if (isObject(value)) this.#fields(tree, value, isObject(old) ? old : {}, at, ratchet);
  }

  #items(
    tree: RuleTree,
    items: JsonValue[],
    old: JsonValue | undefined,
    at: FieldPath,
    ratchet: Ratchet,
  ): void {
    if (!tree.items) return;
    const oldItems = new OldItems(tree.node, Array.isArray(old) ? old : []);
    for (const [i, item] of items.entries()) {
      const inside = below(ratchet, ratchet.current?.item(i));
      this.value(tree.items, item, oldItems.find(item), at.index(i), inside);
    }
  }

  #fields(tree: RuleTree, object: JsonObject, old: JsonObject, at: FieldPath, ratchet: Ratchet): void {
    const enter = (child: RuleTree, name: string, path: FieldPath): void => {
      const before = Object.hasOwn(old, name) ? old[name] : undefined;
      this.value(child, object[name] ?? null, before, path, fieldRatchet(ratchet, name));
    };
    const { additional, properties } = tree;
    if (additional) for (const name of Object.keys(object)) enter(additional, name, at.key(name));
    for (const [name, child] of properties) {
      if (Object.hasOwn(object, name)) enter(child, name, at.child(name));
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
      const why =
        'rule compiler initialization error: failed to convert to declType for CEL validation rules';
      this.errors.push(invalid(at, type, why));
      return;
    }
    if (rules.length === 0) return;
    if (this.#budget <= 0) this.#stop(invalid(at, type, outOfBudget));
    const scope = new Scope(tree, value, old);
    for (const rule of rules) {
      if (rule.error !== undefined) {
        this.errors.push(invalid(at, type, `rule compile error: ${rule.error}`));
      } else if (rule.expression && !(rule.usesOldSelf && old === undefined && !rule.rule.optionalOldSelf)) {
        if (!this.#holds(rule, scope, at)) this.#report(rule, scope, at, ratchet);
      }
    }
  }

  /** Whether a rule holds, or has failed to tell, which is reported. */
  #holds(rule: CompiledRule, scope: Scope, at: FieldPath): boolean {
    const name = ruleName(rule.rule);
    const { type } = scope;
    try {
      const { value } = this.#pay(
        evaluateWith(rule.expression!, () => scope.ofRule(rule)),
        (why) => invalid(at, type, why),
      );
      return value === true;
    } catch (error) {
      if (!(error instanceof EvaluationError)) throw error;
      if (error.cost > this.#budget) this.#stop(invalid(at, type, outOfBudget));
      this.#budget -= error.cost;
      const { message } = error;
      if (error.cancelled) {
        const why = 'no further validation rules will be run due to call cost exceeds limit for rule';
        this.#stop(invalid(at, type, `'${message}': ${why}: ${name}`));
      }
      const why = message.startsWith('no such overload')
        ? `'${message}': call arguments did not match a supported operator, function or macro signature for rule: ${name}`
        : `${message} evaluating rule: ${name}`;
      this.errors.push(invalid(at, type, why));
      return true;
    }
  }

  #pay(outcome: Outcome, tooExpensive: (why: string) => FieldError): Outcome {
    if (outcome.cost > this.#budget) this.#stop(tooExpensive(outOfBudget));
    this.#budget -= outcome.cost;
    return outcome;
  }

  #report(compiled: CompiledRule, scope: Scope, at: FieldPath, ratchet: Ratchet): void {
    const { rule, fieldPath } = compiled;
    const path = fieldPath === '' ? at.toString() : [at.toString(), fieldPath].filter(Boolean).join('.');
    const add = (error: FieldError): void => {
      if (!compiled.usesOldSelf && isUnchanged(ratchet)) this.warnings.push(fieldErrorText(error));
      else this.errors.push(error);
    };
    const message = this.#message(compiled, scope, (why) => {
      add(invalid(path, scope.type, why));
      throw new OutOfBudget();
    });
    const { type } = scope;
    const value = type === 'object' || type === 'array' ? omittedValue : scope.json;
    add(errorFor(rule.reason, path, value, message ?? ruleMessage(rule)));
  }

  /** What the expression for the message gives; undefined where that is nothing that can be shown. */
  #message({ message, rule }: CompiledRule, scope: Scope, end: (why: string) => never): string | undefined {
    if (!message) return undefined;
    try {
      const { value } = this.#payMessage(
        evaluateWith(message, () => scope.ofMessage()),
        end,
      );
      const text = typeof value === 'string' ? value.trim() : '';
      const presentable = text !== '' && !text.includes('\n') && byteLength(text) <= maxMessageBytes;
      return presentable ? text : undefined;
    } catch (error) {
      if (!(error instanceof EvaluationError)) throw error;
      this.#payMessage(error, end);
      if (!error.cancelled) return undefined;
      const why =
        'no further validation rules will be run due to call cost exceeds limit for messageExpression';
      return end(`${why}: ${goQuote(rule.messageExpression)}`);
    }
  }

  #payMessage<T extends { readonly cost: number }>(outcome: T, end: (why: string) => never): T {
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

const outOfBudget =
  'validation failed due to running out of cost budget, no further validation rules will be run';
const maxMessageBytes = 5 * 1024;
const byteLength = (text: string): number => new TextEncoder().encode(text).length;

const below = ({ current, around }: Ratchet, child: Correlation | undefined): Ratchet =>
  current ? { current: child, around: current } : { around };

/** The type of the root is not what was sent but what it was converted to, so that it tells nothing about changes. */
function fieldRatchet(ratchet: Ratchet, name: string): Ratchet {
  const ofRoot = ratchet.current !== undefined && ratchet.around === undefined;
  if (ofRoot && (name === 'apiVersion' || name === 'kind')) return {};
  return below(ratchet, ratchet.current?.field(name));
}

const isUnchanged = ({ current, around }: Ratchet): boolean => (current ?? around)?.isUnchanged() ?? false;

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

/** The variables of the rules of one value, made when they are needed. */
class Scope {
  readonly json: JsonValue;
  readonly type: string;
  readonly #tree: RuleTree;
  readonly #old: JsonValue | undefined;
  #self: Variables | undefined;

  constructor(tree: RuleTree, json: JsonValue, old: JsonValue | undefined) {
    this.#tree = tree;
    this.json = json;
    this.type = tree.node.type ?? '';
    this.#old = old;
  }

  ofRule({ rule, usesOldSelf }: CompiledRule): Variables {
    this.#self ??= { self: this.#tree.view(this.json) };
    if (!usesOldSelf) return this.#self;
    if (!rule.optionalOldSelf) return { ...this.#self, ...this.#oldSelf() };
    const { oldSelf } = this.#oldSelf();
    return { ...this.#self, oldSelf: oldSelf === undefined ? Optional.none : Optional.of(oldSelf) };
  }

  /** An expression for a message sees the old value as it is, and only where a rule of the same value uses it. */
  ofMessage(): Variables {
    const used = this.#tree.rules?.some(({ usesOldSelf }) => usesOldSelf);
    return { ...this.#self, ...(used ? this.#oldSelf() : {}) };
  }

  #oldSelf(): { oldSelf?: Value } {
    return this.#old === undefined ? {} : { oldSelf: this.#tree.view(this.#old) };
  }
}

type Variables = Readonly<Record<string, Value>>;

/** Evaluates with variables, which may be no values of their schema: that is an error as any other. */
function evaluateWith({ program }: CompiledExpression, variables: () => Variables): Outcome {
  try {
    return program.evaluate(variables());
  } catch (error) {
    if (error instanceof Failure) throw new EvaluationError(error.message, 0);
    throw error;
  }
}
