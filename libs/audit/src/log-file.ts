import { type BigIntStats, closeSync, fstatSync, openSync, renameSync, writeSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { wholeEnd } from '@annex/machinery';
import { type Clock, ownTurn } from '@annex/runtime';

/** When a log file is rotated, and how long rotated files are kept. */
export interface Rotation {
  /** In bytes; 0 for never. */
  maxBytes: number;
  /** 0 for any number. */
  maxBackups: number;
  /** In days; 0 for forever. */
  maxAge: number;
  compress: boolean;
}

/** Characters of a slice: one takes about a millisecond. */
const slicedAt = 512 * 1024;

/**
 * A file to append lines to, which is rotated when it is full: `audit.log` becomes
 * `audit-2026-01-31T12-00-00.000.log`, as in kube-apiserver.
 */
export class LogFile {
  readonly #path: string;
  readonly #rotation: Rotation;
  readonly #clock: Clock;
  #file: number;
  #size: number;
  /** Resolves when the last line is written, while a long one is. */
  #writing: Promise<void> | undefined;
  #cleanUp: Promise<void> = Promise.resolve();

  /** Opens the file and creates its folder. Throws if either fails. */
  static async open(path: string, rotation: Rotation, clock: Clock): Promise<LogFile> {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    return new LogFile(path, rotation, clock);
  }

  private constructor(path: string, rotation: Rotation, clock: Clock) {
    this.#path = path;
    this.#rotation = rotation;
    this.#clock = clock;
    [this.#file, this.#size] = this.#open();
  }

  /**
   * Writes a line: it is in the file when `write` returns, or when the promise resolves. A long line is written in slices, and lines behind it
   * wait. Throws, or rejects, if the write fails.
   */
  write(line: string): void | Promise<void> {
    if (this.#writing === undefined && line.length <= slicedAt) {
      const bytes = Buffer.from(line);
      this.#rotateBefore(bytes.length);
      return this.#append(bytes);
    }
    const written = (this.#writing ?? Promise.resolve()).then(() => this.#writeInSlices(line));
    const ended = written
      .catch(() => undefined)
      .then(() => {
        if (this.#writing === ended) this.#writing = undefined;
      });
    this.#writing = ended;
    return written;
  }

  async #writeInSlices(line: string): Promise<void> {
    this.#rotateBefore(Buffer.byteLength(line));
    for (let at = 0; at < line.length;) {
      const end = wholeEnd(line, at + slicedAt);
      await ownTurn();
      this.#append(Buffer.from(line.slice(at, end)));
      at = end;
    }
  }

  #rotateBefore(bytes: number): void {
    const { maxBytes } = this.#rotation;
    if (maxBytes > 0 && this.#size > 0 && this.#size + bytes > maxBytes) this.#rotate();
  }

  #append(bytes: Buffer): void {
    this.#size += bytes.length;
    for (let at = 0; at < bytes.length;) at += writeSync(this.#file, bytes, at);
  }

  async close(): Promise<void> {
    await this.#writing;
    closeSync(this.#file);
    await this.#cleanUp;
  }

  #open(): [number, number] {
    const file = openSync(this.#path, 'a', 0o600);
    const { size } = fstatSync(file, { bigint: true }) as BigIntStats;
    return [file, Number(size)];
  }

  #rotate(): void {
    renameSync(this.#path, this.#backupName());
    const before = this.#file;
    [this.#file, this.#size] = this.#open();
    closeSync(before);
    // Clean-ups run one after the other: concurrent ones would process the same files.
    this.#cleanUp = this.#cleanUp.then(() => this.#removeOld()).catch(() => undefined);
  }

  #backupName(): string {
    const { prefix, extension } = this.#names();
    const time = new Date(this.#clock.now()).toISOString().slice(0, -1).replaceAll(':', '-');
    return join(dirname(this.#path), `${prefix}${time}${extension}`);
  }

  #names(): { prefix: string; extension: string } {
    const extension = extname(this.#path);
    return { prefix: `${basename(this.#path, extension)}-`, extension };
  }

  /** Removes files that are too old or too many, and compresses the rest. */
  async #removeOld(): Promise<void> {
    const folder = dirname(this.#path);
    const { prefix, extension } = this.#names();
    const { maxBackups, maxAge, compress } = this.#rotation;
    const form = /^(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d\.\d{3})/;
    const backups = (await readdir(folder)).flatMap((name) => {
      const parts = name.startsWith(prefix) ? form.exec(name.slice(prefix.length)) : null;
      const rest = name.slice(prefix.length + 23);
      if (parts === null || (rest !== extension && rest !== `${extension}.gz`)) return [];
      return [{ name, time: Date.parse(`${parts[1]}T${parts[2]}:${parts[3]}:${parts[4]}Z`) }];
    });
    backups.sort((a, b) => b.time - a.time);
    const oldest = maxAge === 0 ? -Infinity : this.#clock.now() - maxAge * 86_400_000;
    for (const [i, { name, time }] of backups.entries()) {
      const path = join(folder, name);
      if ((maxBackups > 0 && i >= maxBackups) || time < oldest) await rm(path, { force: true });
      else if (compress && !name.endsWith('.gz')) await compressed(path);
    }
  }
}

async function compressed(path: string): Promise<void> {
  await writeFile(`${path}.gz`, await promisify(gzip)(await readFile(path)), { mode: 0o600 });
  await rm(path);
}
