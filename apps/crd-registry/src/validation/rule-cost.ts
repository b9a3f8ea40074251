import { type FieldError, fieldErrors, type FieldPath } from '@annex/machinery';

const { forbidden } = fieldErrors;

/** Maximum estimated cost of a rule. Source: apiextensions-apiserver. */
export const maxRuleCost = 10_000_000;
/** Maximum estimated cost of all rules of a schema together. Source: apiextensions-apiserver. */
export const maxSchemaCost = 100_000_000;
const limits = { expression: maxRuleCost, schema: maxSchemaCost } as const;

/** Estimates are unsigned 64-bit integers that saturate. */
const maxCost = 2 ** 64;

/** Returns the cost of an expression that is evaluated `times` times. */
export const timesCost = (cost: number, times: number): number => Math.min(cost * times, maxCost);

/** Returns the error of an expression whose estimate exceeds the limit. */
export function expressionCostErrors(at: FieldPath, name: string, cost: number): FieldError[] {
  return cost > limits.expression ? [forbidden(at, tooExpensive(name, cost, limits.expression))] : [];
}

const hint =
  '(try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)';

function tooExpensive(name: string, cost: number, limit: number): string {
  return `${name} exceeds budget by factor of ${factorOf(cost / limit)} ${hint}`;
}

function factorOf(factor: number): string {
  if (factor > 100) return 'more than 100x';
  return `${factor.toFixed(factor < 1.5 ? 6 : 1)}x`;
}

/** The number of most expensive rules that are reported if the sum exceeds the limit. */
const named = 4;

/** The estimated costs of all rules of a schema. */
export class TotalCost {
  #total = 0;
  #expensive: { at: FieldPath; cost: number }[] = [];

  add(at: FieldPath, cost: number): void {
    this.#total = Math.min(this.#total + cost, maxCost);
    if (cost < limits.schema / 100) return;
    this.#expensive.push({ at, cost });
    this.#expensive = this.#expensive.sort((a, b) => b.cost - a.cost).slice(0, named);
  }

  errors(schema: FieldPath): FieldError[] {
    if (this.#total <= limits.schema) return [];
    const part = 'contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema';
    const whole = 'x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema';
    return [
      ...this.#expensive.map(({ at }) => forbidden(at, part)),
      forbidden(schema, tooExpensive(whole, this.#total, limits.schema)),
    ];
  }
}
