import { type BigIntStats, statSync } from 'node:fs';
import { StoreError } from '../store.ts';
import { dataFile } from './store-files.ts';

/** The interval in which a mapped file is checked, in milliseconds. */
export const mappedFileCheckMs = 1_000;

/**
 * Notices that the data file of an open store was truncated, replaced or removed. LMDB maps the file: the next access to a
 * missing page would end the process by SIGBUS.
 */
export class MappedFile {
  readonly #path: string;
  readonly #inode: bigint;
  #bytes: bigint;
  readonly #onDamage: ((error: StoreError) => void) | undefined;
  #damage: StoreError | undefined;

  constructor(dir: string, onDamage?: (error: StoreError) => void) {
    this.#onDamage = onDamage;
    this.#path = dataFile(dir);
    const { ino, size } = statSync(this.#path, { bigint: true });
    this.#inode = ino;
    this.#bytes = size;
  }

  /** The damage that the last check found. */
  get damage(): StoreError | undefined {
    return this.#damage;
  }

  /** Checks the file. Damage is permanent: the process must end before a snapshot is restored. */
  check(): StoreError | undefined {
    if (this.#damage !== undefined) return this.#damage;
    const stat = statSync(this.#path, { bigint: true, throwIfNoEntry: false });
    const what = this.#damageOf(stat);
    if (what !== undefined) {
      const next = 'Stop the process; the next start names the command that restores a snapshot';
      this.fail(new StoreError('damaged', `${this.#path} ${what} while it was open. ${next}`));
    } else if (stat !== undefined) this.#bytes = stat.size;
    return this.#damage;
  }

  /** Reports damage that something else found. */
  fail(damage: StoreError): void {
    this.#damage = damage;
    this.#onDamage?.(damage);
  }

  #damageOf(stat: BigIntStats | undefined): string | undefined {
    if (stat === undefined) return 'was removed';
    if (stat.ino !== this.#inode) return 'was replaced';
    return stat.size < this.#bytes ? 'was truncated' : undefined;
  }
}
