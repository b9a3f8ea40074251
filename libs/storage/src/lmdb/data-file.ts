import { closeSync, constants, fstatSync, lstatSync, openSync, readSync } from 'node:fs';
import { metaBytes, type MetaPage, newestMeta, readMetaPage } from './page-format.ts';
import { StoreDamage } from './store-damage.ts';

/**
 * The data file of a store, read without LMDB: LMDB maps it into memory and trusts its content, so a damaged
 * file would end the process by a signal.
 */
export class DataFile implements Disposable {
  readonly size: number;
  /** The time of the last write, in nanoseconds since the epoch. */
  readonly modified: bigint;
  /** Names the file: another one, also a copy with the same path, has another identity. */
  readonly identity: string;
  readonly #fd: number;

  /** Throws StoreDamage if it is not a file, and the system error if it cannot be opened. */
  constructor(path: string) {
    // Checked before it is opened: opening a device or a pipe may block or have an effect.
    if (!lstatSync(path).isFile()) throw new StoreDamage('it is not a regular file', 'is not a store');
    this.#fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const { size, mtimeNs, dev, ino } = fstatSync(this.#fd, { bigint: true });
    this.identity = `${dev}:${ino}`;
    this.size = Number(size);
    this.modified = mtimeNs;
  }

  /** Fills a buffer from a position of the file. Throws StoreDamage if the file is shorter. */
  read(into: Buffer, position: number): Buffer {
    for (let filled = 0; filled < into.length;) {
      const count = readSync(this.#fd, into, filled, into.length - filled, position + filled);
      if (count === 0) throw new StoreDamage(`it ends at byte ${position + filled}`);
      filled += count;
    }
    return into;
  }

  /** Reads the bytes of both meta pages. Throws StoreDamage if they cannot be read. */
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
