import { chmodSync, existsSync, lstatSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Creates a directory that only its owner can enter. Removes the permissions of others from an existing one
 * if all of its files have known names: a directory that is shared with other files stays unchanged.
 */
export function makePrivateDirectory(dir: string, isOwnName: (name: string) => boolean): void {
  makeDirectory(dir);
  if (readdirSync(dir).every(isOwnName)) restrictMode(dir, 0o700);
}

/**
 * Creates a directory and its parents, which only the owner can enter. Node's recursive `mkdir` never returns in a parent that refuses new
 * directories as missing, such as `/proc`.
 */
export function makeDirectory(dir: string): void {
  try {
    mkdirSync(dir, { mode: 0o700 });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST' && statSync(dir).isDirectory()) return;
    if (code !== 'ENOENT' || existsSync(dirname(dir))) throw error;
    makeDirectory(dirname(dir));
    mkdirSync(dir, { mode: 0o700 });
  }
}

/** Removes the permissions that are not in `mode`. */
export function restrictMode(path: string, mode: number): void {
  const { mode: current } = lstatSync(path);
  if ((current & 0o777 & ~mode) !== 0) chmodSync(path, mode);
}
