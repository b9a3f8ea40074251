/** Maximum bytes of an input that is shared between threads. */
const maxSharedBytes = 1024 * 1024;
const headerBytes = 8;

/** The input that a thread is handling, in memory that another thread reads if the first one does not return. */
export class CurrentInput {
  readonly memory: SharedArrayBuffer;
  /** The number of inputs so far, and the length of the last one; the length is -1 between inputs. */
  readonly #header: Int32Array;
  readonly #bytes: Uint8Array;

  constructor(memory?: SharedArrayBuffer) {
    this.memory = memory ?? new SharedArrayBuffer(headerBytes + maxSharedBytes);
    this.#header = new Int32Array(this.memory, 0, 2);
    this.#bytes = new Uint8Array(this.memory, headerBytes);
    // Loading a target does not count as an input.
    if (memory === undefined) this.end();
  }

  begin(input: Uint8Array): void {
    const shared = input.length > maxSharedBytes ? input.subarray(0, maxSharedBytes) : input;
    this.#bytes.set(shared);
    this.#header[1] = shared.length;
    Atomics.add(this.#header, 0, 1);
  }

  end(): void {
    Atomics.store(this.#header, 1, -1);
  }

  /** Returns the number of the input that is being handled; `undefined` between inputs. */
  get sequence(): number | undefined {
    return Atomics.load(this.#header, 1) < 0 ? undefined : Atomics.load(this.#header, 0);
  }

  get input(): Uint8Array {
    return this.#bytes.slice(0, Math.max(0, Atomics.load(this.#header, 1)));
  }
}
