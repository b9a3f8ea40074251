import type { Clock, Timer } from '@annex/runtime';

/** Milliseconds of one slot: keys are due at most this much late. */
export const slotMs = 20;

/**
 * Calls back when keys are due, with one timer of the clock for any number of keys. A key has one time: a later call replaces it. Keys that
 * are due in the same slot are called together, in the order of their insertion.
 */
export class TimerWheel<K> {
  readonly #clock: Pick<Clock, 'monotonic' | 'setTimeout'>;
  readonly #due: (key: K) => void;
  readonly #slots = new Map<number, Set<K>>();
  readonly #slotOf = new Map<K, number>();
  /** The numbers of the slots, as a binary heap with the earliest first. */
  readonly #heap: number[] = [];
  #timer: Timer | undefined;
  #timerSlot = Infinity;

  constructor(clock: Pick<Clock, 'monotonic' | 'setTimeout'>, due: (key: K) => void) {
    this.#clock = clock;
    this.#due = due;
  }

  get size(): number {
    return this.#slotOf.size;
  }

  /** Sets the time of a key, in milliseconds from now. */
  set(key: K, afterMs: number): void {
    const slot = Math.ceil((this.#clock.monotonic() + Math.max(0, afterMs)) / slotMs);
    if (this.#slotOf.get(key) === slot) return;
    this.delete(key);
    this.#slotOf.set(key, slot);
    const keys = this.#slots.get(slot);
    if (keys !== undefined) keys.add(key);
    else {
      this.#slots.set(slot, new Set([key]));
      push(this.#heap, slot);
    }
    this.#arm();
  }

  delete(key: K): void {
    const slot = this.#slotOf.get(key);
    if (slot === undefined) return;
    this.#slotOf.delete(key);
    // An empty slot stays until its time: taking it out of the heap would cost more.
    this.#slots.get(slot)?.delete(key);
  }

  /** Forgets all keys. */
  clear(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#timerSlot = Infinity;
    this.#slots.clear();
    this.#slotOf.clear();
    this.#heap.length = 0;
  }

  #arm(): void {
    const [slot] = this.#heap;
    if (slot === undefined || slot >= this.#timerSlot) return;
    this.#timer?.cancel();
    this.#timerSlot = slot;
    this.#timer = this.#clock.setTimeout(() => this.#fire(), slot * slotMs - this.#clock.monotonic());
  }

  #fire(): void {
    this.#timerSlot = Infinity;
    this.#timer = undefined;
    const now = this.#clock.monotonic();
    while (this.#heap[0] !== undefined && this.#heap[0] * slotMs <= now) {
      const slot = pop(this.#heap);
      const keys = this.#slots.get(slot) ?? new Set();
      this.#slots.delete(slot);
      for (const key of keys) {
        this.#slotOf.delete(key);
        this.#due(key);
      }
    }
    this.#arm();
  }
}

function push(heap: number[], value: number): void {
  let at = heap.push(value) - 1;
  while (at > 0) {
    const parent = (at - 1) >> 1;
    if ((heap[parent] as number) <= value) break;
    heap[at] = heap[parent] as number;
    at = parent;
  }
  heap[at] = value;
}

/** Removes the smallest number of a heap that is not empty. */
function pop(heap: number[]): number {
  const smallest = heap[0] as number;
  const last = heap.pop() as number;
  if (heap.length === 0) return smallest;
  let at = 0;
  for (;;) {
    let child = 2 * at + 1;
    if (child >= heap.length) break;
    if ((heap[child + 1] ?? Infinity) < (heap[child] as number)) child++;
    if ((heap[child] as number) >= last) break;
    heap[at] = heap[child] as number;
    at = child;
  }
  heap[at] = last;
  return smallest;
}
