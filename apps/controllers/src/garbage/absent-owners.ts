import { type Identity, identityKey } from './identity.ts';

/** A cache of the absent owners that were looked up last. A uid is never reused, so entries stay valid. */
export class AbsentOwners {
  readonly #limit: number;
  readonly #known = new Set<string>();

  constructor(limit = 500) {
    this.#limit = limit;
  }

  add(identity: Identity): void {
    const key = identityKey(identity);
    this.#known.delete(key);
    this.#known.add(key);
    if (this.#known.size <= this.#limit) return;
    for (const oldest of this.#known) {
      this.#known.delete(oldest);
      return;
    }
  }

  has(identity: Identity): boolean {
    const key = identityKey(identity);
    if (!this.#known.delete(key)) return false;
    // Move the entry to the end: the oldest entry is removed first.
    this.#known.add(key);
    return true;
  }
}
