import type { ChangeLog } from './change-log.ts';
import type { History, Write } from './history.ts';

/** What real time says about revisions: what a client knows before it sends a request has happened before that request. */
export class RealTime {
  readonly #seen: Steps;
  readonly #notYet: Steps;

  constructor({ writes, reads, lists }: History, revisionOf: (write: Write) => number | undefined) {
    const seen: Step[] = [];
    const begun: Step[] = [];
    for (const write of writes) {
      const revision = revisionOf(write);
      if (revision === undefined) continue;
      begun.push({ at: -write.invokedAt, value: -revision });
      if (write.outcome.type === 'done') seen.push({ at: write.returnedAt, value: revision });
    }
    for (const { returnedAt, found } of reads)
      if (found !== undefined) seen.push({ at: returnedAt, value: found.revision });
    for (const { returnedAt, revision } of lists) seen.push({ at: returnedAt, value: revision });
    this.#seen = new Steps(seen);
    this.#notYet = new Steps(begun);
  }

  /** Returns the highest revision in a response that was received before this time. */
  reachedBefore(time: number): number {
    return this.#seen.highestBefore(time) ?? 0;
  }

  /** Returns the highest revision that is possible at this time: the one before the first write that was sent later. */
  possibleAt(time: number): number {
    const first = this.#notYet.highestBefore(-time);
    return first === undefined ? Infinity : -first - 1;
  }

  /** Returns the revisions between which a request must have read the objects. */
  window(
    { invokedAt, returnedAt }: { invokedAt: number; returnedAt: number },
    log: ChangeLog,
  ): [number, number] {
    return [Math.max(this.reachedBefore(invokedAt), log.firstRevision), this.possibleAt(returnedAt)];
  }
}

interface Step {
  at: number;
  value: number;
}

/** The running maximum of values over time. */
class Steps {
  readonly #steps: Step[];

  constructor(steps: Step[]) {
    this.#steps = steps.sort((a, b) => a.at - b.at);
    let highest = -Infinity;
    for (const step of this.#steps) step.value = highest = Math.max(highest, step.value);
  }

  highestBefore(time: number): number | undefined {
    let [low, high] = [0, this.#steps.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#steps[middle]!.at < time) low = middle + 1;
      else high = middle;
    }
    return this.#steps[low - 1]?.value;
  }
}
