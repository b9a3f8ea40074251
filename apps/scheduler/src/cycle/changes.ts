/** Applies changes of the cluster between scheduling cycles, so that a cycle sees one state. */
export class Changes {
  #isInCycle = false;
  readonly #pending: (() => void)[] = [];

  /** Applies a change now, or after the current cycle. */
  apply(change: () => void): void {
    if (this.#isInCycle) this.#pending.push(change);
    else change();
  }

  async during<T>(cycle: () => Promise<T>): Promise<T> {
    this.#isInCycle = true;
    try {
      return await cycle();
    } finally {
      this.#isInCycle = false;
      for (const change of this.#pending.splice(0)) change();
    }
  }
}
