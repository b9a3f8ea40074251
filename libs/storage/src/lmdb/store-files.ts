import { closeSync, fsyncSync, lstatSync, openSync, type Stats } from 'node:fs';
import { join } from 'node:path';
import { makePrivateDirectory, restrictMode } from '@annex/runtime';

/** The data file of the embedded store in a directory. */
export const dataFile = (dir: string): string => join(dir, 'data.mdb');
/** LMDB's reader table. */
export const lockFile = (dir: string): string => join(dir, 'lock.mdb');
/** The record of the last orderly close, see `CleanClose`. */
export const cleanCloseFile = (dir: string): string => join(dir, 'clean-close.json');

/** The record of an open store, see `StoreUse`. */
export const storeUseFile = (dir: string): string => join(dir, 'in-use.json');

/** Prefix of the directories in which a store is created before it is renamed into place. */
export const asidePrefix = 'restoring-';
export const creatingPrefix = 'creating-';

const ownNames = new Set(['data.mdb', 'lock.mdb', 'clean-close.json', 'in-use.json', 'held-by']);
const isOwnName = (name: string): boolean =>
  ownNames.has(name) || [asidePrefix, creatingPrefix, 'held-by.'].some((prefix) => name.startsWith(prefix));

/** Returns the stat of a path without following links; undefined if nothing is there. */
export function statOf(path: string): Stats | undefined {
  return lstatSync(path, { throwIfNoEntry: false });
}

/**
 * Makes the files of a store readable for their owner only, and the directory, see `makePrivateDirectory`.
 */
export function makePrivate(dir: string): void {
  for (const path of [dataFile(dir), lockFile(dir), cleanCloseFile(dir), storeUseFile(dir)]) {
    if (statOf(path)?.isFile()) restrictMode(path, 0o600);
  }
  makePrivateDirectory(dir, isOwnName);
}

/** Waits until the names in a directory are durable. */
export function syncDirectory(dir: string): void {
  const folder = openSync(dir, 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
