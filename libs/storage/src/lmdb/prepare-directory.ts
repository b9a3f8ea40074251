import { randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { checkBeforeUse, damagedError } from './check-store.ts';
import { LmdbLedger } from './lmdb-ledger.ts';
import { DataFile } from './data-file.ts';
import { writeStoreUse } from './store-use.ts';
import {
  asidePrefix,
  cleanCloseFile,
  creatingPrefix,
  dataFile,
  lockFile,
  makePrivate,
  statOf,
  syncDirectory,
} from './store-files.ts';

/**
 * Prepares a locked directory for LMDB: creates an empty store, or checks the existing one. Returns false if it is to be checked while it
 * is open. Throws StoreError `damaged` if the store is damaged or has disappeared.
 */
export async function prepareDirectory(dir: string): Promise<boolean> {
  const leftovers = readdirSync(dir).filter((name) => name.startsWith(asidePrefix));
  let isChecked = true;
  if (statOf(dataFile(dir))) isChecked = await checkBeforeUse(dir);
  else if (leftovers.length > 0) throw damagedError(dir, `A restore into ${dir} was interrupted`);
  else if (statOf(lockFile(dir)) || statOf(cleanCloseFile(dir)))
    throw damagedError(dir, `${dataFile(dir)} is missing, but the directory contained a store`);
  else await createStore(dir);
  for (const name of leftovers) rmSync(join(dir, name), { recursive: true });
  makePrivate(dir);
  return isChecked;
}

/**
 * Creates an empty store. It is renamed into place when it is complete, so an empty data file always means
 * damage.
 */
async function createStore(dir: string): Promise<void> {
  for (const name of readdirSync(dir)) {
    if (name.startsWith(creatingPrefix)) rmSync(join(dir, name), { recursive: true });
  }
  const aside = join(dir, `${creatingPrefix}${randomUUID()}`);
  try {
    mkdirSync(aside, { mode: 0o700 });
    await new LmdbLedger(aside).tables.root.close();
    renameSync(dataFile(aside), dataFile(dir));
    syncDirectory(dir);
    using file = new DataFile(dataFile(dir));
    writeStoreUse(dir, file, true);
  } finally {
    rmSync(aside, { recursive: true, force: true });
  }
}
