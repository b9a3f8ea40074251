import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** The path of a command, or `undefined` where it is not installed. */
export function findTool(name: string, folders: readonly string[] = pathFolders()): string | undefined {
  return folders.map((folder) => join(folder, name)).find(isExecutable);
}

/** The folders of `PATH`. */
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
 * True when all of the commands are installed. Where one is not, says on standard error which suite is skipped for lack of it,
 * so that no one takes a skipped suite for a passed one.
 */
export function requireTools(suite: string, ...names: string[]): boolean {
  const missing = names.filter((name) => findTool(name) === undefined);
  if (missing.length === 0) return true;
  process.stderr.write(`SKIPPED ${suite}: ${missing.join(', ')} not found in PATH\n`);
  return false;
}
