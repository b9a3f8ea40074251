import { setImmediate } from 'node:timers/promises';
import { StoreError } from '../store.ts';
import { type CleanClose, isUntouched, readCleanClose } from './clean-close.ts';
import { DataFile } from './data-file.ts';
import type { MetaPage } from './page-format.ts';
import { StoreDamage } from './store-damage.ts';
import { cleanCloseFile, dataFile, lockFile, statOf } from './store-files.ts';
import { wasIntactInUse, writeStoreUse } from './store-use.ts';

/** How long a check may block the event loop, in milliseconds. */
const sliceMilliseconds = 20;
const metaAttempts = 100;

/**
 * Checks that LMDB can open the store of a directory. If the data file is unchanged since the last orderly
 * close, this takes a few reads; otherwise the whole file is read. Throws StoreError `damaged` with the
 * damage, the time of the last orderly close, and the restore command.
 */
export async function checkStore(dir: string): Promise<void> {
  await damagedStore(dir, async () => {
    using file = new DataFile(dataFile(dir));
    checkLockFile(dir);
    const { meta } = file.readMetas();
    if (!isUntouched(file, readCleanClose(dir))) await readAll(file, meta);
  });
}

/**
 * Checks a store before this process opens it, as {@link checkStore} does. After a kill of the process that used it, a few reads suffice:
 * returns false then, and the rest is checked while the store is open. Only one start does so: if it ends before that check, the next one
 * reads the whole file.
 */
export async function checkBeforeUse(dir: string): Promise<boolean> {
  return await damagedStore(dir, async () => {
    using file = new DataFile(dataFile(dir));
    checkLockFile(dir);
    const { meta } = file.readMetas();
    const isUnchanged = isUntouched(file, readCleanClose(dir));
    if (!isUnchanged && wasIntactInUse(dir, file) && writeStoreUse(dir, file, false)) return false;
    if (!isUnchanged) await readAll(file, meta);
    writeStoreUse(dir, file, true);
    return true;
  });
}

/**
 * Returns the revision of the store of a directory. Throws StoreError `damaged`, as {@link checkStore} does.
 */
export async function checkedRevision(dir: string): Promise<number> {
  return await damagedStore(dir, async () => {
    using file = new DataFile(dataFile(dir));
    return await readAll(file, file.readMetas().meta);
  });
}

/** Checks a store that another process is writing; its pages change while they are read. */
export async function checkHeldStore(dir: string): Promise<void> {
  await damagedStore(dir, async () => {
    using file = new DataFile(dataFile(dir));
    for (let attempt = 1; ; attempt++) {
      try {
        return file.readMetas();
      } catch (error) {
        // Commits between the reads of the two meta pages can make them look inconsistent.
        if (attempt === metaAttempts) throw error;
        await setImmediate();
      }
    }
  });
}

function checkLockFile(dir: string): void {
  const stat = statOf(lockFile(dir));
  if (stat && !stat.isFile()) throw new StoreDamage('lock.mdb beside it is not a regular file');
}

async function damagedStore<T>(dir: string, check: () => T | Promise<T>): Promise<T> {
  try {
    return await check();
  } catch (error) {
    if (!(error instanceof StoreDamage)) throw error;
    throw damagedError(dir, `${dataFile(dir)} ${error.sentence}`);
  }
}

/** The error of a store that must not be opened. */
export function damagedError(dir: string, what: string): StoreError {
  const sentences = [
    what,
    ...historyOf(dir),
    `To restore a snapshot, run: annex restore FILE --store-dir=${quoted(dir)}`,
  ];
  return new StoreError('damaged', sentences.join('. '));
}

function* historyOf(dir: string): Generator<string> {
  const note: CleanClose | undefined = readCleanClose(dir);
  if (note) yield `It was intact at ${note.closedAt}, when it was closed with revision ${note.revision}`;
  else if (statOf(cleanCloseFile(dir)) === undefined) yield 'No orderly close of it is known';
  const stat = statOf(dataFile(dir));
  if (stat) yield `It was last written at ${stat.mtime.toISOString()}`;
}

/** Quotes a path for a shell. */
const quoted = (path: string): string =>
  /^[\w./@%+:,-]+$/.test(path) ? path : `'${path.replaceAll("'", String.raw`'\''`)}'`;

async function readAll(file: DataFile, meta: MetaPage): Promise<number> {
  // Loaded only by starts that need a full check.
  const { checkRecords } = await import('./check-records.ts');
  return await sliced(checkRecords(file, meta));
}

/** Runs a check in time slices. */
async function sliced<T>(check: Generator<undefined, T>): Promise<T> {
  for (let began = performance.now(); ;) {
    const step = check.next();
    if (step.done) return step.value;
    if (performance.now() - began < sliceMilliseconds) continue;
    await setImmediate();
    began = performance.now();
  }
}
