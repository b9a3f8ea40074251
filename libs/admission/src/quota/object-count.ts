import { Quantity } from '@annex/machinery';
import { countName, type QuotaEvaluator } from './evaluator.ts';

const one = Quantity.of(1);

/** Counts objects, and also under the former name of the amount, from before `count/…` existed. */
export function objectCount(group: string, resource: string, alias?: string): QuotaEvaluator {
  const names = new Set([countName(group, resource), ...(alias === undefined ? [] : [alias])]);
  const used = new Map([...names].map((name) => [name, one]));
  return {
    group,
    resource,
    uniform: true,
    handles: ({ operation, subresource }) => operation === 'CREATE' && subresource === '',
    measures: (name) => names.has(name),
    usage: () => used,
    inScope: () => false,
  };
}
