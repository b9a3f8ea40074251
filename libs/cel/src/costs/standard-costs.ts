import type { Value } from '../values/value.ts';
import { costFactors } from './factors.ts';
import { sizeOf } from './size.ts';

type Actual = (args: readonly Value[], result: Value) => number;

const ofText = (size: number) => Math.ceil(size * costFactors.text);
const traversal: Actual = ([text]) => ofText(sizeOf(text!));

/** Returns the cost of comparing two values up to the end of the shorter one. */
export function comparisonCost(a: Value, b: Value): number {
  if (typeof a === 'string' && typeof b === 'string') {
    // A string of at most ten UTF-16 code units has at most ten characters, so it costs one unit.
    const units = Math.min(a.length, b.length);
    if (units <= 10) return units === 0 ? 0 : 1;
  }
  return ofText(Math.min(sizeOf(a), sizeOf(b)));
}

const comparison: Actual = ([a, b]) => comparisonCost(a!, b!);
const concatenation: Actual = ([a, b]) => ofText(sizeOf(a!) + sizeOf(b!));
const comparisons = ['less', 'less_equals', 'greater', 'greater_equals'].flatMap((prefix) => [
  `${prefix}_string`,
  `${prefix}_bytes`,
]);

/** The costs of calls that cost more than one unit, by overload. */
export const standardCosts: ReadonlyMap<string, Actual> = new Map<string, Actual>([
  ['starts_with_string', traversal],
  ['ends_with_string', traversal],
  ['string_to_bytes', traversal],
  ['bytes_to_string', traversal],
  ['strings_quote', traversal],
  ['string_format', traversal],
  ['in_list', ([, list]) => sizeOf(list!)],
  ['add_string', concatenation],
  ['add_bytes', concatenation],
  [
    'matches_string',
    ([text, pattern]) => ofText(1 + sizeOf(text!)) * Math.ceil(sizeOf(pattern!) * costFactors.pattern),
  ],
  ['contains_string', ([text, part]) => ofText(sizeOf(text!)) * ofText(sizeOf(part!))],
  ...comparisons.map((id) => [id, comparison] as const),
]);
