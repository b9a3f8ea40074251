/** How much of the last smoothed demand remains when demand falls: it halves in about five minutes. */
const smoothing = 0.977;

/** The demand of a priority level for seats, in periods. */
export class SeatDemand {
  /** The maximum of the last period. */
  highest = 0;
  /** Follows rising demand at once and falling demand slowly. */
  smoothed = 0;
  #seats = 0;
  #since: number;
  #seconds = 0;
  #sum = 0;
  #sumOfSquares = 0;
  #maximum = 0;

  /** Times are in milliseconds of a clock that never jumps. */
  constructor(now: number) {
    this.#since = now;
  }

  /** Records the number of seats that requests use or wait for. */
  set(seats: number, now: number): void {
    this.#advance(now);
    this.#seats = seats;
    if (seats > this.#maximum) this.#maximum = seats;
  }

  /** Ends a period. */
  endPeriod(now: number): void {
    this.#advance(now);
    this.highest = this.#maximum;
    if (this.#seconds > 0) {
      const average = this.#sum / this.#seconds;
      const variance = this.#sumOfSquares / this.#seconds - average * average;
      const envelope = average + Math.sqrt(Math.max(0, variance));
      this.smoothed = Math.max(envelope, smoothing * this.smoothed + (1 - smoothing) * envelope);
    }
    this.#seconds = this.#sum = this.#sumOfSquares = 0;
    this.#maximum = this.#seats;
  }

  #advance(now: number): void {
    const seconds = Math.max(0, now - this.#since) / 1000;
    this.#since = now;
    this.#seconds += seconds;
    this.#sum += seconds * this.#seats;
    this.#sumOfSquares += seconds * this.#seats * this.#seats;
  }
}
