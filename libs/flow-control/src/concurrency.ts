/** A priority level that takes a part of the server's concurrency. */
export interface Claim {
  /** The demand. At least the lower bound. */
  target: number;
  lowerBound: number;
  /** At least the lower bound. */
  upperBound: number;
}

/** Targets of zero are treated as this. */
const leastTarget = 0.001;

/**
 * Divides concurrency among claims: each gets the same multiple of its target, within its bounds. The results add up to `total`
 * if the bounds permit it; otherwise each is at the bound that is nearest.
 */
export function divideConcurrency(total: number, claims: readonly Claim[]): number[] {
  const targets = claims.map(({ target }) => Math.max(target, leastTarget));
  const at = (multiple: number): number[] =>
    claims.map(({ lowerBound, upperBound }, i) =>
      Math.max(lowerBound, Math.min(upperBound, multiple * targets[i]!)),
    );
  const sumAt = (multiple: number): number => at(multiple).reduce((sum, part) => sum + part, 0);
  // The sum grows with the multiple, and linearly between the multiples where a claim reaches a bound.
  const bends = claims
    .flatMap(({ lowerBound, upperBound }, i) => [lowerBound / targets[i]!, upperBound / targets[i]!])
    .sort((a, b) => a - b);
  let [from, fromSum] = [0, sumAt(0)];
  for (const to of bends) {
    const toSum = sumAt(to);
    if (toSum >= total) {
      const share = toSum > fromSum ? Math.max(0, (total - fromSum) / (toSum - fromSum)) : 0;
      return at(from + share * (to - from));
    }
    [from, fromSum] = [to, toSum];
  }
  return at(from);
}
