import { createRequire } from 'node:module';
import type * as lmdb from 'lmdb';

/** The parts of `lmdb` that its types do not declare. They belong to the version that package.json names. */
interface Native {
  /** Returns the address of the first byte of a buffer. */
  getBufferAddress(bytes: Uint8Array): number;
  /** Throws the error of a code of LMDB or of the operating system. */
  lmdbError(code: number): void;
}

interface NativeEnvironment {
  /**
   * Executes instructions in one transaction, on a thread of libuv's pool. Calls back when it is durable, or with the code of its
   * error.
   */
  startWriting(address: number, done: (code: number) => void): void;
}

const { nativeAddon } = createRequire(import.meta.url)('lmdb') as unknown as { nativeAddon: Native };

/** Opcodes of `writer.cpp` in `lmdb`. */
const opcodes = { put: 15, remove: 13 } as const;

// An instruction: opcode, table and length of the key (4 bytes each), the key, zeros up to a multiple of 8, and for
// `put` the address of the value (8 bytes); the length of the value is in the last 4 bytes of the zeros.
const headBytes = 12;
const wordBytes = 8;
const keyEnd = (start: number, key: Uint8Array): number =>
  Math.floor((start + headBytes + key.byteLength + 16) / wordBytes) * wordBytes;

interface Operation {
  table: number;
  key: Uint8Array;
  /** Undefined for a removal. */
  value: Uint8Array | undefined;
}

/** A table of the environment, with binary keys and values. */
type Table = lmdb.Database<Buffer, Buffer> | lmdb.Database<Buffer, string>;

/** Writes that LMDB executes in one transaction, without waiting for the disk on this thread. */
export class NativeBatch {
  readonly #operations: Operation[] = [];
  #byteLength = 0;

  get isEmpty(): boolean {
    return this.#operations.length === 0;
  }

  /** Adds a write. The bytes must not change until the batch is committed. */
  put(table: Table, key: Uint8Array, value: Uint8Array): void {
    this.#add(table, key, value);
  }

  /** Adds a removal. It changes nothing if there is no such key. */
  remove(table: Table, key: Uint8Array): void {
    this.#add(table, key, undefined);
  }

  /**
   * Resolves when the writes are durable; rejects with an error that has LMDB's code, and then none of them is executed. Only one
   * commit of an environment may run at a time.
   */
  commit(root: lmdb.RootDatabase<Buffer, string>): Promise<void> {
    let instructions: Uint8Array | undefined = this.#encode();
    const { env } = root as unknown as { env: NativeEnvironment };
    return new Promise((resolve, reject) => {
      env.startWriting(nativeAddon.getBufferAddress(instructions!), (code) => {
        // The thread reads the instructions and the values by their addresses: both are kept until here.
        instructions = undefined;
        this.#operations.length = 0;
        if (code === 0) resolve();
        else reject(errorOf(code));
      });
    });
  }

  #add(table: Table, key: Uint8Array, value: Uint8Array | undefined): void {
    const { dbi } = (table as unknown as { db: { dbi: number } }).db;
    this.#operations.push({ table: dbi, key, value });
    this.#byteLength = keyEnd(this.#byteLength, key) + (value ? wordBytes : 0);
  }

  /** Returns the instructions, in the byte order of the processor. */
  #encode(): Uint8Array {
    // The opcode 0 ends them.
    const buffer = new ArrayBuffer(this.#byteLength + wordBytes);
    const [bytes, words, numbers] = [
      new Uint8Array(buffer),
      new Uint32Array(buffer),
      new Float64Array(buffer),
    ];
    let at = 0;
    for (const { table, key, value } of this.#operations) {
      const end = keyEnd(at, key);
      words[at / 4] = value ? opcodes.put : opcodes.remove;
      words[at / 4 + 1] = table;
      words[at / 4 + 2] = key.byteLength;
      bytes.set(key, at + headBytes);
      at = end;
      if (!value) continue;
      words[at / 4 - 1] = value.byteLength;
      numbers[at / wordBytes] = nativeAddon.getBufferAddress(value);
      at += wordBytes;
    }
    return bytes;
  }
}

function errorOf(code: number): unknown {
  try {
    nativeAddon.lmdbError(code);
  } catch (error) {
    return error;
  }
  return new Error(`LMDB failed with code ${code}`);
}
