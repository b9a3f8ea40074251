import { createHash, randomUUID } from 'node:crypto';
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, writeSync } from 'node:fs';
import { DataFile } from './data-file.ts';
import { cleanCloseFile, dataFile, statOf, syncDirectory } from './store-files.ts';

/**
 * Written when a store is closed in order: if the data file is unchanged, the next start does not have to
 * check it. Every write changes the data file, so this file stays as it is while the store is open.
 */
export interface CleanClose {
  annexStore: 1;
  /** RFC 3339. */
  closedAt: string;
  revision: number;
  /** Of the data file, when it was closed. */
  bytes: number;
  modified: string;
  metaPages: string;
}

/** Bytes of the file; a longer one is damaged. */
export const maxCleanCloseBytes = 4096;

/**
 * Records that the data file of a directory is intact. A full disk, or another failure, only slows the next
 * start down.
 */
export function writeCleanClose(dir: string, revision: number): void {
  const aside = `${cleanCloseFile(dir)}.${randomUUID()}`;
  try {
    using file = new DataFile(dataFile(dir));
    const note: CleanClose = {
      annexStore: 1,
      closedAt: new Date().toISOString(),
      revision,
      ...stateOf(file),
    };
    const fd = openSync(aside, 'wx', 0o600);
    try {
      writeSync(fd, `${JSON.stringify(note)}\n`);
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
    renameSync(aside, cleanCloseFile(dir));
    syncDirectory(dir);
  } catch {
    rmSync(aside, { force: true });
  }
}

/** Reads the record of the last orderly close; undefined if it is missing or unreadable. */
export function readCleanClose(dir: string): CleanClose | undefined {
  const path = cleanCloseFile(dir);
  const stat = statOf(path);
  if (!stat?.isFile() || stat.size > maxCleanCloseBytes) return undefined;
  try {
    const note = JSON.parse(readFileSync(path, 'utf8')) as Partial<CleanClose> | null;
    const isNote =
      note?.annexStore === 1 &&
      Number.isSafeInteger(note.revision) &&
      !Number.isNaN(Date.parse(note.closedAt!));
    return isNote ? (note as CleanClose) : undefined;
  } catch {
    return undefined;
  }
}

/** True if a data file is unchanged since the last orderly close. */
export function isUntouched(file: DataFile, note: CleanClose | undefined): boolean {
  if (!note) return false;
  const { bytes, metaPages, modified } = stateOf(file);
  return note.bytes === bytes && note.modified === modified && note.metaPages === metaPages;
}

function stateOf(file: DataFile): Pick<CleanClose, 'bytes' | 'modified' | 'metaPages'> {
  const metaPages = createHash('sha256').update(file.readMetas().bytes).digest('hex');
  return { bytes: file.size, modified: String(file.modified), metaPages };
}
