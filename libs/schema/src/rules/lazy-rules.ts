import type { DeclaredType } from '@annex/cel';
import type { SchemaNode } from '../node.ts';
import { type CompiledRule, compileRules } from './compiled-rule.ts';

/** The number of rules that one step compiles. */
const rulesPerStep = 4;

/** The rules of a node, compiled on first use: few objects reach all nodes of a large schema. */
export class LazyRules {
  readonly #compiled: CompiledRule[] = [];
  readonly #isTyped: boolean;
  #rest: Iterator<CompiledRule, void> | undefined;

  constructor(node: SchemaNode, type: DeclaredType | undefined) {
    this.#isTyped = type !== undefined || node.rules === undefined;
    if (type !== undefined && node.rules !== undefined) this.#rest = compileRules(node, type);
  }

  /** Compiles the next `rulesPerStep` rules; returns true when all are compiled. */
  prepare(): boolean {
    for (let count = 0; this.#rest !== undefined && count < rulesPerStep; count++) {
      const { value } = this.#rest.next();
      if (value) this.#compiled.push(value);
      else this.#rest = undefined;
    }
    return this.#rest === undefined;
  }

  /** Returns all rules; undefined if expressions cannot use the type of the values. */
  all(): readonly CompiledRule[] | undefined {
    while (!this.prepare());
    return this.#isTyped ? this.#compiled : undefined;
  }
}
