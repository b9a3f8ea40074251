import type { DeclaredType } from '@annex/cel';
import type { SchemaNode } from '../node.ts';
import { type CompiledRule, compileRulesLazily } from './compiled-rule.ts';

/** How many rules are compiled in one go. */
const rulesPerStep = 4;

/** The rules of a node, compiled when the first value comes to them: few objects come to all nodes of a large schema. */
export class LazyRules {
  readonly #compiled: CompiledRule[] = [];
  readonly #isTyped: boolean;
  #rest: Iterator<CompiledRule, void> | undefined;

  constructor(node: SchemaNode, type: DeclaredType | undefined) {
    this.#isTyped = type !== undefined || node.rules === undefined;
    if (type !== undefined && node.rules !== undefined) this.#rest = compileRulesLazily(node, type);
  }

  /** Compiles a few more; true when there is nothing left to compile. */
  prepare(): boolean {
    for (let count = 0; this.#rest !== undefined && count < rulesPerStep; count++) {
      const { value } = this.#rest.next();
      if (value) this.#compiled.push(value);
      else this.#rest = undefined;
    }
    return this.#rest === undefined;
  }

  /** All of them; undefined where expressions cannot use the type of the values. */
  all(): readonly CompiledRule[] | undefined {
    while (!this.prepare());
    return this.#isTyped ? this.#compiled : undefined;
  }
}
