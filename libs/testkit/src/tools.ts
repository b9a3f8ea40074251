import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Returns the path of a command; `undefined` if it is not installed. */
export function findTool(name: string, folders: readonly string[] = pathFolders()): string | undefined {
  return folders.map((folder) => join(folder, name)).find(isExecutable);
}

/** Returns the folders of `PATH`. */
export const pathFolders = (): string[] => (process.env.PATH ?? '').split(delimiter).filter(Boolean);

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/**
 * Returns whether all commands are installed. If not, writes the name of the skipped suite and the missing
 * commands to standard error, so that a skipped suite is not mistaken for a passed one.
 */
export function requireTools(suite: string, ...names: string[]): boolean {
  const missing = names.filter((name) => findTool(name) === undefined);
  if (missing.length === 0) return true;
  process.stderr.write(`SKIPPED ${suite}: ${missing.join(', ')} not found in PATH\n`);
  return false;
}
