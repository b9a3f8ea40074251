/** Keeps values by their keys: thousands of Pods of a workload have the same labels and terms. When it is full, it forgets all. */
export class Remembered<K, V> {
  readonly #size: number;
  readonly #values = new Map<K, V>();

  constructor(size: number) {
    this.#size = size;
  }

  /** Returns the value of a key: the same one until it is forgotten. */
  get(key: K, create: () => V): V {
    const known = this.#values.get(key);
    if (known !== undefined) return known;
    if (this.#values.size >= this.#size) this.#values.clear();
    const created = create();
    this.#values.set(key, created);
    return created;
  }
}
