import { costFactors } from './factors.ts';
import type { CallEstimate, CostCall, CostNode } from './cost.ts';
import { addRanges, exactly, multiplyRanges, type Range, scaleRange, unbounded } from './range.ts';

type Estimate = (call: CostCall) => CallEstimate | undefined;

const one = exactly(1);
const ofText = (size: Range) => scaleRange(size, costFactors.text);
const known = ({ size }: CostNode): Range => size ?? { min: 0, max: unbounded };

/** Estimates one traversal of a node of the call. */
const traversal =
  (node: (call: CostCall) => CostNode | undefined, resultSize?: (size: Range) => Range): Estimate =>
  (call) => {
    const at = node(call);
    if (!at) return undefined;
    const size = known(at);
    return { cost: ofText(size), ...(resultSize && { resultSize: resultSize(size) }) };
  };

const onlyArg = ({ args }: CostCall) => (args.length === 1 ? args[0] : undefined);

/** Estimates a comparison up to the end of the shorter value; scalars cost one unit. */
const comparison: Estimate = ({ args: [left, right] }) => {
  const shorter = Math.min(known(left!).max, known(right!).max);
  return { cost: ofText({ min: shorter > 0 ? 1 : 0, max: shorter }) };
};

const concatenation: Estimate = ({ args: [left, right] }) => {
  const resultSize = addRanges(known(left!), known(right!));
  return { cost: ofText(resultSize), resultSize };
};

const matching: Estimate = ({ target, args }) => {
  if (!target || args.length !== 1) return undefined;
  // Add one to the length: an expensive pattern is expensive for an empty string too.
  const text = ofText(addRanges(known(target), one));
  return { cost: multiplyRanges(text, scaleRange(known(args[0]!), costFactors.pattern)) };
};

const containment: Estimate = ({ target, args }) => {
  if (!target || args.length !== 1) return undefined;
  return { cost: multiplyRanges(ofText(known(target)), ofText(known(args[0]!))) };
};

const comparisons = ['less', 'less_equals', 'greater', 'greater_equals'].flatMap((prefix) => [
  `${prefix}_string`,
  `${prefix}_bytes`,
]);

/** Estimates for calls that cost more than one unit, by overload. */
export const standardEstimates: ReadonlyMap<string, Estimate> = new Map<string, Estimate>([
  ['string_format', traversal(({ target }) => target)],
  ['string_to_bytes', traversal(onlyArg, ({ min, max }) => ({ min, max: wrapped(max, 4, 0) }))],
  ['bytes_to_string', traversal(onlyArg, ({ min, max }) => ({ min: Math.floor(min / 4), max }))],
  ['strings_quote', traversal(onlyArg, ({ min, max }) => ({ min: min + 2, max: wrapped(max, 2, 2) }))],
  ['starts_with_string', traversal(onlyArg)],
  ['ends_with_string', traversal(onlyArg)],
  ['in_list', ({ args }) => (args.length === 2 ? { cost: known(args[1]!) } : undefined)],
  ['matches_string', matching],
  ['contains_string', containment],
  ['add_string', concatenation],
  ['add_bytes', concatenation],
  ['add_list', (call) => ({ ...concatenation(call)!, cost: one })],
  ...[...comparisons, 'equals', 'not_equals'].map((id) => [id, comparison] as const),
]);

/** Returns `value * factor + more` modulo 2^64. */
function wrapped(value: number, factor: number, more: number): number {
  const uint64 = value >= unbounded ? 2n ** 64n - 1n : BigInt(value);
  return Number(BigInt.asUintN(64, uint64 * BigInt(factor) + BigInt(more)));
}
