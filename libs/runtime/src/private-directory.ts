import { chmodSync, lstatSync, mkdirSync, readdirSync } from 'node:fs';

/**
 * Creates a directory that only its owner can enter. Removes the permissions of others from an existing one
 * if all of its files have known names: a directory that is shared with other files stays unchanged.
 */
export function makePrivateDirectory(dir: string, isOwnName: (name: string) => boolean): void {
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  if (readdirSync(dir).every(isOwnName)) restrictMode(dir, 0o700);
}

/** Removes the permissions that are not in `mode`. */
export function restrictMode(path: string, mode: number): void {
  const { mode: current } = lstatSync(path);
  if ((current & 0o777 & ~mode) !== 0) chmodSync(path, mode);
}
