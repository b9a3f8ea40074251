import { mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { StoreError } from '../store.ts';
import { lockDirectory } from './directory-lock.ts';
import { checkedRevision } from './check-store.ts';
import { readCleanClose, writeCleanClose } from './clean-close.ts';
import { encodeLiveHead, maxKeyBytes, numberBytes } from './ledger-format.ts';
import type { ImageEntry } from './lmdb-image.ts';
import { LmdbLedger } from './lmdb-ledger.ts';
import {
  asidePrefix,
  cleanCloseFile,
  dataFile,
  lockFile,
  makePrivate,
  statOf,
  syncDirectory,
} from './store-files.ts';

/** The content to restore: entries with unique keys and unique revisions, none later than `revision`. */
export interface RestoreSource {
  readonly revision: number;
  entries(): AsyncIterable<ImageEntry>;
}

/** The result of a restore. */
export interface Restored {
  /** The current revision of the store: higher than every revision that it had before. */
  revision: number;
  count: number;
}

/** See `restoreStore`. */
export async function restoreLmdbStore(dir: string, source: RestoreSource): Promise<Restored> {
  const lock = lockDirectory(dir);
  try {
    const leftovers = readdirSync(dir).filter((name) => name.startsWith(asidePrefix));
    const aside = join(dir, `${asidePrefix}${randomUUID()}`);
    try {
      mkdirSync(aside, { mode: 0o700 });
      for (const name of leftovers) rmSync(join(dir, name), { recursive: true });
      const restored = await fill(aside, source, await revisionOf(dir));
      replaceStore(dir, aside, restored.revision);
      return restored;
    } finally {
      rmSync(aside, { recursive: true, force: true });
    }
  } finally {
    lock.release();
  }
}

const batchSize = 2000;
/**
 * Revisions that are skipped after a damaged store, whose latest revision may be unreadable: as with `etcdutl
 * --bump-revision`.
 */
const revisionsOfDamagedStore = 1_000_000_000;

/** Returns the revision of the store that is replaced; 0 if there is none. */
async function revisionOf(dir: string): Promise<number> {
  const note = readCleanClose(dir);
  const stat = statOf(dataFile(dir));
  if (!stat && !note) return 0;
  try {
    if (stat) return await checkedRevision(dir);
  } catch (error) {
    if (!(error instanceof StoreError && error.code === 'damaged')) throw error;
  }
  return (note?.revision ?? 0) + revisionsOfDamagedStore;
}

async function fill(dir: string, source: RestoreSource, replaced: number): Promise<Restored> {
  const ledger = new LmdbLedger(dir);
  try {
    let count = 0;
    let batch: ImageEntry[] = [];
    const flush = () => {
      ledger.tables.root.transactionSync(() => batch.forEach((entry) => put(ledger, entry, source.revision)));
      count += batch.length;
      batch = [];
    };
    for await (const entry of source.entries()) if (batch.push(entry) === batchSize) flush();
    flush();
    // Clients must not confuse revisions after the snapshot with future ones.
    const revision = replaced > source.revision ? replaced + 1 : source.revision;
    ledger.tables.root.transactionSync(() => {
      for (const name of ['revision', 'compacted', 'scrubbed']) ledger.setCounter(name, revision);
    });
    return { revision, count };
  } finally {
    await ledger.tables.root.close();
  }
}

function put(ledger: LmdbLedger, { key, value, expiresAt, ...head }: ImageEntry, newest: number): void {
  const { keys, values, expiry } = ledger.tables;
  const bytes = Buffer.from(key);
  const revision = numberBytes(head.modRevision);
  const isWhole = head.createRevision <= head.modRevision && head.modRevision <= newest;
  if (!isWhole || bytes.length > maxKeyBytes || keys.doesExist(bytes) || values.doesExist(revision)) {
    throw new StoreError(
      'invalid',
      `${key} at revision ${head.modRevision} cannot be there beside the others`,
    );
  }
  keys.putSync(bytes, encodeLiveHead(head, value));
  values.putSync(revision, Buffer.from(value));
  if (expiresAt !== undefined) expiry.putSync(revision, Buffer.concat([numberBytes(expiresAt), bytes]));
}

function replaceStore(dir: string, aside: string, revision: number): void {
  // Readers of the old file keep it with its reader table, which does not apply to the new file.
  rmSync(lockFile(dir), { recursive: true, force: true });
  rmSync(cleanCloseFile(dir), { recursive: true, force: true });
  // A rename cannot replace a directory with a file, and the directory may belong to another program.
  if (statOf(dataFile(dir))?.isDirectory()) renameSync(dataFile(dir), `${dataFile(dir)}.${randomUUID()}`);
  renameSync(dataFile(aside), dataFile(dir));
  syncDirectory(dir);
  makePrivate(dir);
  writeCleanClose(dir, revision);
}
