const chunkLimit = 512;

interface Chunk<V> {
  keys: string[];
  values: V[];
}

/** A map in key order. Inserting and deleting change one chunk; reading a range copies only references. */
export class SortedMap<V> {
  #chunks: Chunk<V>[] = [];
  /** The number of keys of each chunk: a sum over an array of numbers is faster than one over the chunks. */
  #lengths: number[] = [];
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get(key: string): V | undefined {
    const chunk = this.#chunks[this.#chunkOf(key)];
    if (!chunk) return undefined;
    const at = lowerBound(chunk.keys, key);
    return chunk.keys[at] === key ? chunk.values[at] : undefined;
  }

  set(key: string, value: V): void {
    const index = this.#chunkOf(key);
    const chunk = this.#chunks[index];
    if (!chunk) {
      this.#chunks.push({ keys: [key], values: [value] });
      this.#lengths.push(1);
      this.#size = 1;
      return;
    }
    const at = lowerBound(chunk.keys, key);
    if (chunk.keys[at] === key) {
      chunk.values[at] = value;
      return;
    }
    chunk.keys.splice(at, 0, key);
    chunk.values.splice(at, 0, value);
    this.#size++;
    this.#lengths[index] = chunk.keys.length;
    if (chunk.keys.length > chunkLimit) this.#split(index, chunk);
  }

  delete(key: string): boolean {
    const index = this.#chunkOf(key);
    const chunk = this.#chunks[index];
    if (!chunk) return false;
    const at = lowerBound(chunk.keys, key);
    if (chunk.keys[at] !== key) return false;
    chunk.keys.splice(at, 1);
    chunk.values.splice(at, 1);
    this.#size--;
    this.#lengths[index] = chunk.keys.length;
    if (chunk.keys.length === 0) {
      this.#chunks.splice(index, 1);
      this.#lengths.splice(index, 1);
    }
    return true;
  }

  /** Calls `visit` for each key under the prefix from `startKey` on, in order, until it returns false. */
  scan(prefix: string, startKey: string, visit: (key: string, value: V) => boolean | void): void {
    const from = startKey > prefix ? startKey : prefix;
    for (let c = this.#chunkOf(from), first = true; c < this.#chunks.length; c++, first = false) {
      const { keys, values } = this.#chunks[c]!;
      for (let i = first ? lowerBound(keys, from) : 0; i < keys.length; i++) {
        const key = keys[i]!;
        if (!key.startsWith(prefix) || visit(key, values[i]!) === false) return;
      }
    }
  }

  /** Iterates over all values in parts, between which the map may change: a value can be missed or repeated then. */
  *parts(): Generator<readonly V[]> {
    for (let c = 0; c < this.#chunks.length; c++) yield this.#chunks[c]!.values;
  }

  /** Returns the values under a prefix, or the first ones of them, in key order. */
  values(prefix: string, limit = Infinity): V[] {
    const { first, from, last, to } = this.#range(prefix, prefix);
    const parts: V[][] = [];
    let left = limit;
    for (let c = first; c <= last && left > 0; c++) {
      const { values } = this.#chunks[c]!;
      const start = c === first ? from : 0;
      const part = values.slice(start, Math.min(c === last ? to : values.length, start + left));
      left -= part.length;
      parts.push(part);
    }
    return ([] as V[]).concat(...parts);
  }

  /** Returns the number of keys under a prefix from `startKey` on. */
  count(prefix: string, startKey: string): number {
    const { first, from, last, to } = this.#range(prefix, startKey);
    let count = to - from;
    for (let c = first; c < last; c++) count += this.#lengths[c]!;
    return count;
  }

  /** Returns where the keys under a prefix begin and end from `startKey` on, by binary search: the chunks, and the places in them. */
  #range(prefix: string, startKey: string): { first: number; from: number; last: number; to: number } {
    const start = startKey > prefix ? startKey : prefix;
    const first = this.#chunkOf(start);
    const chunk = this.#chunks[first];
    if (!chunk || !start.startsWith(prefix)) return { first, from: 0, last: first - 1, to: 0 };
    const from = lowerBound(chunk.keys, start);
    let low = first;
    let high = this.#chunks.length;
    while (high - low > 1) {
      const middle = (low + high) >>> 1;
      if (this.#chunks[middle]!.keys[0]!.startsWith(prefix)) low = middle;
      else high = middle;
    }
    return {
      first,
      from,
      last: low,
      to: endOfPrefix(this.#chunks[low]!.keys, prefix, low === first ? from : 0),
    };
  }

  /** Takes the entries of another map instead of its own; the other one must not be used any more. */
  takeOver(other: SortedMap<V>): void {
    this.#chunks = other.#chunks;
    this.#lengths = other.#lengths;
    this.#size = other.#size;
  }

  clear(): void {
    this.#chunks = [];
    this.#lengths = [];
    this.#size = 0;
  }

  /**
   * Returns the index of the last chunk that starts at or before the key: the one that contains it or would.
   */
  #chunkOf(key: string): number {
    let low = 0;
    let high = this.#chunks.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#chunks[middle]!.keys[0]! <= key) low = middle + 1;
      else high = middle;
    }
    return Math.max(0, low - 1);
  }

  #split(index: number, chunk: Chunk<V>): void {
    const half = chunk.keys.length >>> 1;
    const upper = { keys: chunk.keys.splice(half), values: chunk.values.splice(half) };
    this.#chunks.splice(index + 1, 0, upper);
    this.#lengths.splice(index, 1, half, upper.keys.length);
  }
}

function lowerBound(keys: readonly string[], key: string): number {
  let low = 0;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (keys[middle]! < key) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Returns the index after the last key with a prefix; the first one is at `from`, if there is any. */
function endOfPrefix(keys: readonly string[], prefix: string, from: number): number {
  let low = from;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (keys[middle]!.startsWith(prefix)) low = middle + 1;
    else high = middle;
  }
  return low;
}
