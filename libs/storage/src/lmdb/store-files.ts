import { closeSync, fsyncSync, lstatSync, openSync, type Stats } from 'node:fs';
import { join } from 'node:path';
import { makePrivateDirectory, restrictMode } from '@annex/runtime';

/** The file with everything that a directory of the embedded store holds. */
export const dataFile = (dir: string): string => join(dir, 'data.mdb');
/** LMDB's table of the processes that read. */
export const lockFile = (dir: string): string => join(dir, 'lock.mdb');
/** What the last orderly close left, see `CleanClose`. */
export const cleanCloseFile = (dir: string): string => join(dir, 'clean-close.json');

/** Directories in which a store is made before it takes its place. */
export const asidePrefix = 'restoring-';
export const creatingPrefix = 'creating-';

const ownNames = new Set(['data.mdb', 'lock.mdb', 'clean-close.json', 'held-by']);
const isOwnName = (name: string): boolean =>
  ownNames.has(name) || [asidePrefix, creatingPrefix, 'held-by.'].some((prefix) => name.startsWith(prefix));

/** What is at a path, which may be a link; undefined for nothing. */
export function statOf(path: string): Stats | undefined {
  return lstatSync(path, { throwIfNoEntry: false });
}

/** Makes the files of a store readable for their owner only, and the directory, see `makePrivateDirectory`. */
export function makePrivate(dir: string): void {
  for (const path of [dataFile(dir), lockFile(dir), cleanCloseFile(dir)]) {
    if (statOf(path)?.isFile()) restrictMode(path, 0o600);
  }
  makePrivateDirectory(dir, isOwnName);
}

/** Waits until the disk has the names in a directory. */
export function syncDirectory(dir: string): void {
  const folder = openSync(dir, 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
