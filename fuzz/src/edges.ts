/** How often each branch of the instrumented code ran since the last `clear`: the code itself counts here, by this name. */
declare global {
  var __annexEdges: Uint32Array;
}

/** Branches of all packages together are about a quarter of it. */
const maxEdges = 1 << 18;

/** The counters of a thread, and what was seen in them so far. */
export class Edges {
  /** Branches that the loaded code has. */
  total = 0;
  /** Branches that any input reached. */
  reached = 0;
  readonly #counts: Uint32Array;
  /** For each branch, the magnitudes of counts that were seen, as bits. */
  readonly #seen = new Uint32Array(maxEdges);

  constructor() {
    this.#counts = globalThis.__annexEdges = new Uint32Array(maxEdges);
  }

  /** Reserves counters for a module that has `count` branches, and returns the first one. */
  reserve(count: number): number {
    const first = this.total;
    this.total += count;
    if (this.total > maxEdges) throw new Error(`more than ${maxEdges} branches`);
    return first;
  }

  clear(): void {
    this.#counts.fill(0, 0, this.total);
  }

  /** True where an input reached one of these branches. */
  wasReached(first: number, end: number): boolean {
    for (let i = first; i < end; i++) if (this.#seen[i] !== 0) return true;
    return false;
  }

  /** Adds the counts to what was seen: the steps, and whether a branch or a magnitude is new. */
  merge(): { steps: number; isNew: boolean } {
    const counts = this.#counts;
    const seen = this.#seen;
    let steps = 0;
    let isNew = false;
    for (let i = 0, end = this.total; i < end; i++) {
      const count = counts[i]!;
      if (count === 0) continue;
      steps += count;
      const bit = 1 << (32 - Math.clz32(Math.min(count, 0xffff)));
      if ((seen[i]! & bit) !== 0) continue;
      if (seen[i] === 0) this.reached++;
      seen[i]! |= bit;
      isNew = true;
    }
    return { steps, isNew };
  }
}
