import { closeSync, existsSync, fsyncSync, openSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { StoreError } from '../store.ts';
import { lockDirectory } from './directory-lock.ts';
import { dataFile, type ImageEntry } from './lmdb-image.ts';
import { encodeHead, LmdbLedger, maxKeyBytes, numberBytes } from './lmdb-ledger.ts';

/** What a store is to hold: entries of different keys, each written by a revision of its own, and no later than `revision`. */
export interface RestoreSource {
  readonly revision: number;
  entries(): AsyncIterable<ImageEntry>;
}

/** How it ended. */
export interface Restored {
  /** The revision of the store now: none that it ever had before is given again. */
  revision: number;
  count: number;
}

/** See `restoreStore`. */
export async function restoreLmdbStore(dir: string, source: RestoreSource): Promise<Restored> {
  const lock = lockDirectory(dir);
  try {
    for (const name of readdirSync(dir)) {
      if (name.startsWith(asidePrefix)) rmSync(join(dir, name), { recursive: true });
    }
    const aside = join(dir, `${asidePrefix}${randomUUID()}`);
    try {
      const restored = await fill(aside, source, revisionOf(dir));
      replaceStore(dir, aside);
      return restored;
    } finally {
      rmSync(aside, { recursive: true, force: true });
    }
  } finally {
    lock.release();
  }
}

const asidePrefix = 'restoring-';
const batchSize = 2000;

/** The revision of the store that is replaced; 0 where there is none. */
function revisionOf(dir: string): number {
  if (!existsSync(dataFile(dir))) return 0;
  const ledger = new LmdbLedger(dir);
  const { revision } = ledger;
  void ledger.root.close();
  return revision;
}

async function fill(dir: string, source: RestoreSource, replaced: number): Promise<Restored> {
  const ledger = new LmdbLedger(dir);
  try {
    let count = 0;
    let batch: ImageEntry[] = [];
    const flush = () => {
      ledger.root.transactionSync(() => batch.forEach((entry) => put(ledger, entry, source.revision)));
      count += batch.length;
      batch = [];
    };
    for await (const entry of source.entries()) if (batch.push(entry) === batchSize) flush();
    flush();
    // What came after the moment of the entries must not be taken for what comes from now on.
    const revision = replaced > source.revision ? replaced + 1 : source.revision;
    ledger.root.transactionSync(() => {
      for (const name of ['revision', 'compacted', 'scrubbed']) ledger.setCounter(name, revision);
    });
    return { revision, count };
  } finally {
    await ledger.root.close();
  }
}

function put(ledger: LmdbLedger, { key, value, expiresAt, ...head }: ImageEntry, newest: number): void {
  const bytes = Buffer.from(key);
  const revision = numberBytes(head.modRevision);
  const isWhole = head.createRevision <= head.modRevision && head.modRevision <= newest;
  if (
    !isWhole ||
    bytes.length > maxKeyBytes ||
    ledger.keys.doesExist(bytes) ||
    ledger.values.doesExist(revision)
  ) {
    throw new StoreError(
      'invalid',
      `${key} at revision ${head.modRevision} cannot be there beside the others`,
    );
  }
  ledger.keys.putSync(bytes, encodeHead(head));
  ledger.values.putSync(revision, Buffer.from(value));
  if (expiresAt !== undefined)
    ledger.expiry.putSync(revision, Buffer.concat([numberBytes(expiresAt), bytes]));
}

function replaceStore(dir: string, aside: string): void {
  // Readers of the old file keep it with its table of readers, which says nothing of the new one.
  rmSync(join(dir, 'lock.mdb'), { force: true });
  renameSync(dataFile(aside), dataFile(dir));
  const folder = openSync(dir, 'r');
  fsyncSync(folder);
  closeSync(folder);
}
