import { randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { checkStore, damagedError } from './check-store.ts';
import { LmdbLedger } from './lmdb-ledger.ts';
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
 * Makes a directory that this process holds ready for LMDB: a new one gets an empty store, and an existing store is checked. Throws
 * StoreError `damaged` for a store that is not whole, and where a store was and is no longer.
 */
export async function prepareDirectory(dir: string): Promise<void> {
  const leftovers = readdirSync(dir).filter((name) => name.startsWith(asidePrefix));
  if (statOf(dataFile(dir))) await checkStore(dir);
  else if (leftovers.length > 0) throw damagedError(dir, `A restore into ${dir} was interrupted`);
  else if (statOf(lockFile(dir)) || statOf(cleanCloseFile(dir)))
    throw damagedError(dir, `${dataFile(dir)} is missing, but the directory has held a store`);
  else await createStore(dir);
  for (const name of leftovers) rmSync(join(dir, name), { recursive: true });
  makePrivate(dir);
}

/** Makes an empty store. It takes its place when it is whole: a data file without content is never one that is being made. */
async function createStore(dir: string): Promise<void> {
  for (const name of readdirSync(dir)) {
    if (name.startsWith(creatingPrefix)) rmSync(join(dir, name), { recursive: true });
  }
  const aside = join(dir, `${creatingPrefix}${randomUUID()}`);
  try {
    mkdirSync(aside, { mode: 0o700 });
    await new LmdbLedger(aside).root.close();
    renameSync(dataFile(aside), dataFile(dir));
    syncDirectory(dir);
  } finally {
    rmSync(aside, { recursive: true, force: true });
  }
}
