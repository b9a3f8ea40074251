import { eachInSlices } from '@annex/runtime';
import type { DeleteResult, Entry, GetResult, ListResult, StoreEvent, WatchBatch } from '../store.ts';

/** Bytes of one allocation for several values. An allocation is in use while one of its values is. */
const slabBytes = 64 * 1024;

/** Returns a copy of a value in memory that threads share; the value itself if it is there. */
export function sharedValue(value: Uint8Array): Uint8Array {
  if (value.buffer instanceof SharedArrayBuffer) return value;
  const copy = new Uint8Array(new SharedArrayBuffer(value.byteLength));
  copy.set(value);
  return copy;
}

/** Moves values into memory that threads share: caches of all threads then have the same bytes. Each value is copied once. */
export class SharedValues {
  readonly #copies = new WeakMap<Uint8Array, Uint8Array>();

  batch({ events, revision }: WatchBatch): WatchBatch {
    const room = new Room(this.#copies, events.flatMap(valuesOf));
    return {
      revision,
      events: events.map(({ type, entry, previous }) => ({
        type,
        entry: room.entry(entry),
        ...(previous && { previous: room.entry(previous) }),
      })),
    };
  }

  get({ entry, ...others }: GetResult): GetResult {
    return entry === undefined ? others : { ...others, entry: this.entry(entry) };
  }

  deletion({ entry, revision }: DeleteResult): DeleteResult {
    return { entry: this.entry(entry), revision };
  }

  /** Copies in time slices. */
  async list({ entries, ...others }: ListResult): Promise<ListResult> {
    const room = new Room(
      this.#copies,
      entries.map(({ value }) => value),
    );
    const shared: Entry[] = [];
    await eachInSlices(entries, (entry) => shared.push(room.entry(entry)));
    return { ...others, entries: shared };
  }

  entry(entry: Entry): Entry {
    return new Room(this.#copies, [entry.value]).entry(entry);
  }
}

/** Shared memory for the values of one message. */
class Room {
  readonly #copies: WeakMap<Uint8Array, Uint8Array>;
  #slab = new SharedArrayBuffer(0);
  #used = 0;
  #missing = 0;

  constructor(copies: WeakMap<Uint8Array, Uint8Array>, values: readonly Uint8Array[]) {
    this.#copies = copies;
    for (const value of values) if (!this.#isShared(value)) this.#missing += value.byteLength;
  }

  entry(entry: Entry): Entry {
    return { ...entry, value: this.#shared(entry.value) };
  }

  #isShared(value: Uint8Array): boolean {
    return value.buffer instanceof SharedArrayBuffer || this.#copies.has(value);
  }

  #shared(value: Uint8Array): Uint8Array {
    if (value.buffer instanceof SharedArrayBuffer) return value;
    const known = this.#copies.get(value);
    if (known !== undefined) return known;
    const { byteLength } = value;
    if (this.#used + byteLength > this.#slab.byteLength) this.#allocate(byteLength);
    const copy = new Uint8Array(this.#slab, this.#used, byteLength);
    copy.set(value);
    this.#used += byteLength;
    this.#missing -= byteLength;
    this.#copies.set(value, copy);
    return copy;
  }

  #allocate(atLeast: number): void {
    this.#slab = new SharedArrayBuffer(Math.max(atLeast, Math.min(slabBytes, this.#missing)));
    this.#used = 0;
  }
}

const valuesOf = ({ entry, previous }: StoreEvent): Uint8Array[] =>
  previous === undefined ? [entry.value] : [entry.value, previous.value];
