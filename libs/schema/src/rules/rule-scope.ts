import {
  EvaluationError,
  type EvaluationResult,
  Failure,
  Optional,
  type PausedEvaluation,
  type Value,
} from '@annex/cel';
import type { JsonValue } from '@annex/machinery';
import type { CompiledExpression, CompiledRule } from './compiled-rule.ts';
import type { RuleTree } from './rule-tree.ts';

/** The variables of the rules of one value, created on first use. */
export class RuleScope {
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

  get hasOld(): boolean {
    return this.#old !== undefined;
  }

  ofRule({ rule, usesOldSelf }: CompiledRule): Variables {
    this.#self ??= { self: this.#tree.view(this.json) };
    if (!usesOldSelf) return this.#self;
    if (!rule.optionalOldSelf) return { ...this.#self, ...this.#oldSelf() };
    return { ...this.#self, oldSelf: this.#optionalOldSelf() };
  }

  // In cel-go, an optional contains objects and lists as plain JSON without a schema.
  #optionalOldSelf(): Value {
    const old = this.#old;
    if (old === undefined) return Optional.none;
    const typed = this.#tree.view(old);
    return Optional.of(typeof old === 'object' && old !== null ? (old as Value) : typed);
  }

  /** Returns the variables of a message expression. `oldSelf` is not optional, and is set only if a rule of the value uses it. */
  ofMessage(): Variables {
    const used = this.#tree.rules?.some(({ usesOldSelf }) => usesOldSelf);
    return { ...this.#self, ...(used ? this.#oldSelf() : {}) };
  }

  #oldSelf(): { oldSelf?: Value } {
    return this.#old === undefined ? {} : { oldSelf: this.#tree.view(this.#old) };
  }
}

/** The variables of an expression. */
export type Variables = Readonly<Record<string, Value>>;

/** Begins the evaluation of an expression. A variable that does not match its schema is an evaluation error. */
export function beginWith(
  { program }: CompiledExpression,
  variables: () => Variables,
): EvaluationResult | PausedEvaluation {
  try {
    return program.begin(variables());
  } catch (error) {
    if (error instanceof Failure) throw new EvaluationError(error.message, 0);
    throw error;
  }
}
