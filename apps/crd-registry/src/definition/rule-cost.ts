import { type FieldError, fieldErrors, type FieldPath } from '@annex/machinery';

const { forbidden } = fieldErrors;

/** What a rule may be estimated to cost. Source: apiextensions-apiserver. */
export const maxRuleCost = 10_000_000;
/** What all rules of a schema may be estimated to cost together. Source: apiextensions-apiserver. */
export const maxSchemaCost = 100_000_000;
const limits = { expression: maxRuleCost, schema: maxSchemaCost } as const;

/** Estimates are unsigned integers of 64 bits, and stay at their end. */
const maxCost = 2 ** 64;

/** The cost of something that happens so many times. */
export const timesCost = (cost: number, times: number): number => Math.min(cost * times, maxCost);

/** The complaint about an expression whose estimate exceeds the limit. */
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

/** How many of the most expensive rules are named when all together are too expensive. */
const named = 4;

/** The estimates of all rules of a schema. */
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
