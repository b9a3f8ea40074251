/** A priority queue whose elements have keys. */
export class Heap<T> {
  readonly #items: T[] = [];
  readonly #index = new Map<string, number>();
  readonly #keyOf: (item: T) => string;
  readonly #less: (a: T, b: T) => boolean;

  constructor(keyOf: (item: T) => string, less: (a: T, b: T) => boolean) {
    this.#keyOf = keyOf;
    this.#less = less;
  }

  get size(): number {
    return this.#items.length;
  }

  get(key: string): T | undefined {
    const index = this.#index.get(key);
    return index === undefined ? undefined : this.#items[index];
  }

  peek(): T | undefined {
    return this.#items[0];
  }

  values(): readonly T[] {
    return this.#items;
  }

  /** Adds an item, or replaces that of the same key. */
  add(item: T): void {
    const key = this.#keyOf(item);
    const index = this.#index.get(key);
    if (index === undefined) {
      this.#items.push(item);
      this.#index.set(key, this.#items.length - 1);
      this.#up(this.#items.length - 1);
      return;
    }
    this.#items[index] = item;
    this.#down(this.#up(index));
  }

  pop(): T | undefined {
    const [first] = this.#items;
    if (first !== undefined) this.delete(this.#keyOf(first));
    return first;
  }

  delete(key: string): T | undefined {
    const index = this.#index.get(key);
    if (index === undefined) return undefined;
    const item = this.#items[index];
    const last = this.#items.pop();
    this.#index.delete(key);
    if (last !== undefined && index < this.#items.length) {
      this.#put(last, index);
      this.#down(this.#up(index));
    }
    return item;
  }

  #put(item: T, index: number): void {
    this.#items[index] = item;
    this.#index.set(this.#keyOf(item), index);
  }

  #up(from: number): number {
    let index = from;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (!this.#swapIfLess(index, parent)) break;
      index = parent;
    }
    return index;
  }

  #down(from: number): void {
    let index = from;
    for (;;) {
      const [left, right] = [2 * index + 1, 2 * index + 2];
      let smallest = index;
      if (this.#isLess(left, smallest)) smallest = left;
      if (this.#isLess(right, smallest)) smallest = right;
      if (smallest === index) return;
      this.#swapIfLess(smallest, index);
      index = smallest;
    }
  }

  #isLess(a: number, b: number): boolean {
    const [one, other] = [this.#items[a], this.#items[b]];
    return one !== undefined && other !== undefined && this.#less(one, other);
  }

  #swapIfLess(a: number, b: number): boolean {
    const [one, other] = [this.#items[a], this.#items[b]];
    if (one === undefined || other === undefined || !this.#less(one, other)) return false;
    this.#put(one, b);
    this.#put(other, a);
    return true;
  }
}
