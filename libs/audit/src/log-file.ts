import { type BigIntStats, closeSync, fstatSync, openSync, renameSync, writeSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Clock } from '@annex/runtime';

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

/**
 * A file to append lines to, which is rotated when it is full: `audit.log` becomes
 * `audit-2026-01-31T12-00-00.000.log`, as in kube-apiserver. `write` is synchronous, so that a line is
 * written before the response to its request.
 */
export class LogFile {
  readonly #path: string;
  readonly #rotation: Rotation;
  readonly #clock: Clock;
  #file: number;
  #size: number;
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

  /** Throws if the write fails. */
  write(line: string): void {
    const bytes = Buffer.from(line);
    const { maxBytes } = this.#rotation;
    if (maxBytes > 0 && this.#size > 0 && this.#size + bytes.length > maxBytes) this.#rotate();
    this.#size += bytes.length;
    for (let at = 0; at < bytes.length;) at += writeSync(this.#file, bytes, at);
  }

  async close(): Promise<void> {
    closeSync(this.#file);
    await this.#cleanUp;
  }

  #open(): [number, number] {
    const file = openSync(this.#path, 'a', 0o600);
    const { size } = fstatSync(file, { bigint: true }) as BigIntStats;
    return [file, Number(size)];
  }

  #rotate(): void {
    closeSync(this.#file);
    renameSync(this.#path, this.#backupName());
    [this.#file, this.#size] = this.#open();
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
