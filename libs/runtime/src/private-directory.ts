import { chmodSync, lstatSync, mkdirSync, readdirSync } from 'node:fs';

/**
 * Makes a directory that only its owner may enter, or takes the permissions of others from an existing one, where all of its content has
 * one of our own names: a directory that is shared with other files stays as it is.
 */
export function makePrivateDirectory(dir: string, isOwnName: (name: string) => boolean): void {
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  if (readdirSync(dir).every(isOwnName)) restrictMode(dir, 0o700);
}

/** Takes away the permissions that are not in `mode`. */
export function restrictMode(path: string, mode: number): void {
  const { mode: current } = lstatSync(path);
  if ((current & 0o777 & ~mode) !== 0) chmodSync(path, mode);
}
