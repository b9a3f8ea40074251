import type { DeclaredType } from '@annex/cel';
import type { SchemaNode } from '../node.ts';
import { type CompiledRule, compileRules } from './compiled-rule.ts';

/** The number of passes of one step; a short rule is one pass. */
const passesPerStep = 4;

/** The rules of a node, compiled on first use: few objects reach all nodes of a large schema. */
export class LazyRules {
  readonly #compiled: CompiledRule[] = [];
  readonly #isTyped: boolean;
  #rest: ReturnType<typeof compileRules> | undefined;

  constructor(node: SchemaNode, type: DeclaredType | undefined) {
    this.#isTyped = type !== undefined || node.rules === undefined;
    if (type !== undefined && node.rules !== undefined) this.#rest = compileRules(node, type);
  }

  /** Compiles rules for `passesPerStep` passes; returns true when all are compiled. */
  prepare(): boolean {
    for (let count = 0; this.#rest !== undefined && count < passesPerStep; count++) {
      const { done, value } = this.#rest.next();
      if (done === true) this.#rest = undefined;
      else if (typeof value === 'object') this.#compiled.push(value);
    }
    return this.#rest === undefined;
  }

  /** Returns all rules; undefined if expressions cannot use the type of the values. */
  all(): readonly CompiledRule[] | undefined {
    while (!this.prepare());
    return this.#isTyped ? this.#compiled : undefined;
  }
}
