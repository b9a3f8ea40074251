/** Scales scores so that the highest is 100; `reverse` makes the lowest the best. Source: kube-scheduler. */
export function scaleScores(scores: number[], reverse = false): void {
  let highest = 0;
  for (const score of scores) highest = Math.max(highest, score);
  if (highest === 0) {
    if (reverse) scores.fill(100);
    return;
  }
  for (const [i, score] of scores.entries()) {
    const scaled = Math.trunc((100 * score) / highest);
    scores[i] = reverse ? 100 - scaled : scaled;
  }
}
