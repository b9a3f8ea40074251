import { type Identity, identityKey } from './identity.ts';

/** Owners that are known not to exist: the last ones that were asked for. An identity with its uid never comes back. */
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
    // What is asked for stays longest.
    this.#known.add(key);
    return true;
  }
}
