import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

/** The name of the data directory in the folder in which Annex was started first. */
export const dataDirName = '.annex';

/**
 * Returns the data directory of an existing Annex: that of ANNEX_DATA_DIR, or the one in this folder or in the nearest parent folder. If there is
 * none, returns its path in this folder.
 */
export function findDataDir(
  env: Readonly<Record<string, string | undefined>>,
  folder = process.cwd(),
): string {
  if (env.ANNEX_DATA_DIR) return env.ANNEX_DATA_DIR;
  for (let parent = resolve(folder); ; parent = dirname(parent)) {
    const dataDir = join(parent, dataDirName);
    if (existsSync(dataDir)) return parent === resolve(folder) ? dataDirName : dataDir;
    if (parent === dirname(parent)) return dataDirName;
  }
}
