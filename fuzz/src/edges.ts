/**
 * The number of times that each branch of the instrumented code ran since the last `clear`. The instrumented code accesses it by this name.
 */
declare global {
  var __annexEdges: Uint32Array;
  /** Called when a counter changes from zero. */
  var __annexFirst: (edge: number) => void;
}

/** Maximum number of branches: the branches of all packages together are about a quarter of it. */
const maxEdges = 1 << 18;

/** A branch, and the magnitude of its count. */
export interface Feature {
  edge: number;
  magnitude: number;
}

/** The counters of a thread, and the features seen so far. */
export class Edges {
  /** Branches that the loaded code has. */
  total = 0;
  /** Branches that any input reached. */
  reached = 0;
  readonly #counts: Uint32Array;
  /** The counters that are not zero, which are few. */
  readonly #running: number[] = [];
  /** The magnitudes of counts seen for each branch, as bits. */
  readonly #seen = new Uint32Array(maxEdges);

  constructor() {
    this.#counts = globalThis.__annexEdges = new Uint32Array(maxEdges);
    globalThis.__annexFirst = (edge) => void this.#running.push(edge);
  }

  /** Reserves counters for a module that has `count` branches, and returns the first one. */
  reserve(count: number): number {
    const first = this.total;
    this.total += count;
    if (this.total > maxEdges) throw new Error(`more than ${maxEdges} branches`);
    return first;
  }

  clear(): void {
    for (const edge of this.#running) this.#counts[edge] = 0;
    this.#running.length = 0;
  }

  /** True if an input reached one of these branches. */
  wasReached(first: number, end: number): boolean {
    for (let i = first; i < end; i++) if (this.#seen[i] !== 0) return true;
    return false;
  }

  /** Merges the counts into the seen features. Returns the number of steps, and the new features. */
  merge(): { steps: number; newFeatures: readonly Feature[] } {
    const counts = this.#counts;
    const seen = this.#seen;
    const newFeatures: Feature[] = [];
    let steps = 0;
    for (const edge of this.#running) {
      const count = counts[edge]!;
      steps += count;
      const magnitude = magnitudeOf(count);
      if ((seen[edge]! & (1 << magnitude)) !== 0) continue;
      if (seen[edge] === 0) this.reached++;
      seen[edge]! |= 1 << magnitude;
      newFeatures.push({ edge, magnitude });
    }
    return { steps, newFeatures };
  }

  /** True if the last input has all of these features. */
  has(features: readonly Feature[]): boolean {
    return features.every(({ edge, magnitude }) => magnitudeOf(this.#counts[edge]!) === magnitude);
  }
}

/** Magnitudes are powers of two: 0, 1, 2 to 3, 4 to 7, … */
const magnitudeOf = (count: number): number => 32 - Math.clz32(Math.min(count, 0xffff));
