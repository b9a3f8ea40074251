/** A change of the cluster. It returns a promise if it pauses. */
export type Change = () => Promise<void> | undefined;

/** Applies changes of the cluster one after the other, and between scheduling cycles, so that a cycle sees one state. */
export class Changes {
  #isBusy = false;
  #settled: Promise<void> = Promise.resolve();
  readonly #pending: Change[] = [];

  /** Applies a change now, or after the current cycle and the changes before it. */
  apply(change: Change): void {
    if (this.#isBusy) {
      this.#pending.push(change);
      return;
    }
    const paused = change();
    if (paused === undefined) return;
    this.#isBusy = true;
    this.#settled = paused.then(() => this.#applyPending());
  }

  /** Returns a promise while a change pauses; a cycle has to wait for it. */
  get settled(): Promise<void> | undefined {
    return this.#isBusy ? this.#settled : undefined;
  }

  /** Runs a cycle. Call it only when the changes are settled. */
  async during<T>(cycle: () => Promise<T>): Promise<T> {
    this.#isBusy = true;
    try {
      return await cycle();
    } finally {
      await this.#applyPending();
    }
  }

  async #applyPending(): Promise<void> {
    for (let change = this.#pending.shift(); change !== undefined; change = this.#pending.shift()) {
      const paused = change();
      if (paused !== undefined) await paused;
    }
    this.#isBusy = false;
  }
}
