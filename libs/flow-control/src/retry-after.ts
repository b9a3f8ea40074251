const longestSeconds = 32;

/**
 * Computes the header `Retry-After` of refused requests: doubles while many are refused, falls by one second when few
 * are, as kube-apiserver does.
 */
export class RetryAfter {
  /** In seconds. */
  seconds = 1;
  #refused: { second: number; count: number }[] = [];
  #doubledAt = 0;

  /** Records a refused request; `now` is in milliseconds. */
  record(now: number): void {
    const second = Math.floor(now / 1000);
    const last = this.#refused.at(-1);
    if (last?.second === second) {
      last.count++;
      return;
    }
    this.#adjust(second);
    this.#refused = this.#refused.filter((entry) => second - entry.second <= longestSeconds);
    this.#refused.push({ second, count: 1 });
  }

  #adjust(second: number): void {
    const recent = this.#refused
      .filter((entry) => second - entry.second <= this.seconds)
      .reduce((sum, { count }) => sum + count, 0);
    if (second - this.#doubledAt >= this.seconds && recent >= 3 * this.seconds) {
      this.seconds = Math.min(2 * this.seconds, longestSeconds);
      this.#doubledAt = second;
    } else if (recent < this.seconds && this.seconds > 1) this.seconds--;
  }
}
