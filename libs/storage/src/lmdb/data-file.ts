import { closeSync, constants, fstatSync, lstatSync, openSync, readSync } from 'node:fs';
import { metaBytes, type MetaPage, newestMeta, readMetaPage } from './page-format.ts';
import { StoreDamage } from './store-damage.ts';

/**
 * The data file of a store, read without LMDB: LMDB maps it into memory and trusts what it finds, so that a damaged file
 * ends the process by a signal.
 */
export class DataFile implements Disposable {
  readonly size: number;
  /** When it was written last, in nanoseconds since the epoch. */
  readonly modified: bigint;
  readonly #fd: number;

  /** Throws StoreDamage for what is no file, and the error of the system where it cannot be opened. */
  constructor(path: string) {
    // Looked at before it is opened: opening a device or a pipe may wait or have an effect.
    if (!lstatSync(path).isFile()) throw new StoreDamage('it is not a regular file', 'is not a store');
    this.#fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const { size, mtimeNs } = fstatSync(this.#fd, { bigint: true });
    this.size = Number(size);
    this.modified = mtimeNs;
  }

  /** Fills a buffer from a position of the file. Throws StoreDamage where the file ends earlier. */
  read(into: Buffer, position: number): Buffer {
    for (let filled = 0; filled < into.length;) {
      const count = readSync(this.#fd, into, filled, into.length - filled, position + filled);
      if (count === 0) throw new StoreDamage(`it ends within its byte ${position + filled}`);
      filled += count;
    }
    return into;
  }

  /** The bytes of both meta pages. Throws StoreDamage where they cannot be read. */
  readMetas(): { bytes: Buffer; meta: MetaPage } {
    if (this.size === 0) throw new StoreDamage('it is empty');
    const first = this.read(Buffer.alloc(metaBytes), 0);
    const { pageSize } = readMetaPage(first, 0);
    const second = this.read(Buffer.alloc(metaBytes), pageSize);
    return {
      bytes: Buffer.concat([first, second]),
      meta: newestMeta(readMetaPage(first, 0), readMetaPage(second, 1)),
    };
  }

  [Symbol.dispose](): void {
    closeSync(this.#fd);
  }
}
