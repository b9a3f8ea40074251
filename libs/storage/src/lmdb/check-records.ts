import { isUtf8 } from 'node:buffer';
import { crc32 } from 'node:zlib';
import type { DataFile } from './data-file.ts';
import { formatVersion, headBytes, headWithChecksumBytes, tableNames } from './ledger-format.ts';
import {
  type MetaPage,
  nodeFlags,
  readTreeRoot,
  readUint64,
  treeRootBytes,
  type TreeRoot,
} from './page-format.ts';
import { StoreDamage } from './store-damage.ts';
import { compareIntegers, type TreeEntry, TreeWalk } from './tree-walk.ts';

type TableName = (typeof tableNames)[number];
type Counters = Map<string, number>;

interface LiveKey {
  key: string;
  revision: number;
  checksum: number | undefined;
}

const recordHeadBytes = 2 * headBytes;

/**
 * Reads all records of a data file, and throws StoreDamage for the first inconsistency. Yields regularly;
 * returns the revision of the store.
 */
export function* checkRecords(file: DataFile, meta: MetaPage): Generator<undefined, number> {
  const walk = new TreeWalk(file, meta);
  const free = yield* freePages(walk, meta);
  const tables = yield* tablesOf(walk, meta);
  const counters = yield* countersOf(walk, tables.about);
  const revision = counters.get('revision') ?? 1;
  const live = yield* liveKeys(walk, tables.keys, revision);
  yield* checkValues(walk, tables.values, live, revision);
  yield* checkLog(walk, tables.log, counters.get('scrubbed') ?? 1, revision);
  yield* checkExpiries(walk, tables.expiry, revision);
  const taken = free.find((page) => walk.isUsed(page));
  if (taken !== undefined) throw new StoreDamage(`page ${taken} is in use and listed as free`);
  return revision;
}

/** The pages that LMDB may reuse. A negative number is the length of a block, whose first page follows. */
function* freePages(walk: TreeWalk, meta: MetaPage): Generator<undefined, number[]> {
  const pages: number[] = [];
  const visit = (entry: TreeEntry) => {
    const list = walk.value(entry);
    const count = list.length < 8 ? -1 : readUint64(list, 0);
    if (8 * (count + 1) > list.length || count < 0)
      throw new StoreDamage('the list of free pages is incomplete');
    for (let i = 1; i <= count; i++) {
      const number = Number(list.readBigInt64LE(8 * i));
      if (number > meta.lastPage)
        throw new StoreDamage(`page ${number} is listed as free, the last one is ${meta.lastPage}`);
      if (number > 0) pages.push(number);
      else if (number < 0) i++;
    }
  };
  yield* walk.walk({ name: 'the list of free pages', root: meta.free, compare: compareIntegers, visit });
  return pages;
}

function* tablesOf(
  walk: TreeWalk,
  { main: root }: MetaPage,
): Generator<undefined, Record<TableName, TreeRoot>> {
  const found = new Map<string, TreeRoot>();
  const visit = (entry: TreeEntry) => {
    const { page, keyStart, keyEnd, flags, valueStart, valueBytes } = entry;
    // Names end with a zero byte.
    const name = page.toString('latin1', keyStart, keyEnd).replace(/\0$/, '');
    if (flags !== nodeFlags.tree || valueBytes !== treeRootBytes)
      throw new StoreDamage(
        `it has the entry ${JSON.stringify(name.slice(0, 40))}, which is not a table`,
        'is not a store',
      );
    found.set(name, readTreeRoot(page, valueStart));
  };
  yield* walk.walk({ name: 'the list of tables', root, visit });
  const missing = tableNames.find((name) => !found.has(name));
  if (missing) throw new StoreDamage(`it has no table ${missing}`, 'is not a store');
  if (found.size > tableNames.length) throw new StoreDamage('it has other tables', 'is not a store');
  for (const [name, { flags }] of found)
    if (flags !== 0) throw new StoreDamage(`the table ${name} has unknown flags`);
  return Object.fromEntries(found) as Record<TableName, TreeRoot>;
}

function* countersOf(walk: TreeWalk, root: TreeRoot): Generator<undefined, Counters> {
  const counters: Counters = new Map();
  const visit = (entry: TreeEntry) => {
    const name = entry.page.toString('latin1', entry.keyStart, entry.keyEnd).slice(0, 40);
    const value = walk.value(entry);
    if (value.length !== 8) throw new StoreDamage(`the counter ${JSON.stringify(name)} is not a number`);
    counters.set(name, count(value.readDoubleBE(0), `the counter ${JSON.stringify(name)}`));
  };
  yield* walk.walk({ name: 'the table about', root, visit });
  const format = counters.get('format');
  if (format === undefined) throw new StoreDamage('it has no format version');
  if (format !== formatVersion) {
    throw new StoreDamage(
      `it has the format ${format} of a later version of Annex, this one supports ${formatVersion}`,
      'is not a store',
    );
  }
  const revision = counters.get('revision') ?? 1;
  if ((counters.get('compacted') ?? 0) > revision || (counters.get('scrubbed') ?? 1) > revision)
    throw new StoreDamage('its counters contradict each other');
  return counters;
}

/** Returns the live keys in the order of their revisions. */
function* liveKeys(walk: TreeWalk, root: TreeRoot, newest: number): Generator<undefined, LiveKey[]> {
  const live: LiveKey[] = [];
  const visit = (entry: TreeEntry) => {
    const { page, keyStart, keyEnd } = entry;
    if (!isUtf8(page.subarray(keyStart, keyEnd))) throw new StoreDamage('a key is not text');
    const key = page.toString('utf8', keyStart, keyEnd);
    const head = walk.value(entry);
    if (head.length !== headBytes && head.length !== headWithChecksumBytes)
      throw new StoreDamage(`the entry of the key ${key} is incomplete`);
    const name = `a revision of the key ${key}`;
    const [created, revision, version] = [0, 8, 16].map((at) => count(head.readDoubleBE(at), name));
    const isPossible = 0 < created! && created! <= revision! && revision! <= newest && version! > 0;
    if (!isPossible) throw new StoreDamage(`${name} cannot be`);
    const checksum = head.length === headWithChecksumBytes ? head.readUInt32BE(headBytes) : undefined;
    live.push({ key, revision: revision!, checksum });
  };
  yield* walk.walk({ name: 'the table keys', root, visit });
  return live.sort((a, b) => a.revision - b.revision);
}

function* checkValues(walk: TreeWalk, root: TreeRoot, live: readonly LiveKey[], newest: number) {
  let next = 0;
  const missing = () =>
    new StoreDamage(`the value of the key ${live[next]!.key} at revision ${live[next]!.revision} is missing`);
  const visit = (entry: TreeEntry) => {
    const revision = revisionOf(entry, newest, 'values');
    if (next === live.length || revision < live[next]!.revision) return;
    const { checksum, key, revision: expected } = live[next]!;
    if (revision > expected) throw missing();
    if (checksum !== undefined && crc32(walk.value(entry)) !== checksum)
      throw new StoreDamage(`the value of the key ${key} at revision ${revision} is not what was written`);
    next++;
    if (next < live.length && live[next]!.revision === revision)
      throw new StoreDamage(`the keys ${key} and ${live[next]!.key} have one revision`);
  };
  yield* walk.walk({ name: 'the table values', root, visit });
  if (next < live.length) throw missing();
}

/** Checks that the log has a record for each revision that is not cleaned up. */
function* checkLog(walk: TreeWalk, root: TreeRoot, scrubbed: number, newest: number) {
  let expected = scrubbed + 1;
  const visit = (entry: TreeEntry) => {
    const revision = revisionOf(entry, newest, 'log');
    const isRecord = revision === expected++ && entry.valueBytes > recordHeadBytes;
    if (!isRecord) throw new StoreDamage(`the log is incomplete at revision ${expected - 1}`);
    const written = walk.value(entry).readDoubleBE(8);
    if (written !== 0 && written !== revision)
      throw new StoreDamage(`the log is incomplete at revision ${revision}`);
  };
  yield* walk.walk({ name: 'the table log', root, visit });
  if (expected !== newest + 1) throw new StoreDamage(`revision ${expected} is missing in the log`);
}

function* checkExpiries(walk: TreeWalk, root: TreeRoot, newest: number) {
  const visit = (entry: TreeEntry) => {
    const revision = revisionOf(entry, newest, 'expiry');
    if (entry.valueBytes <= 8) throw new StoreDamage(`the expiry of revision ${revision} is incomplete`);
    const due = walk.value(entry).readDoubleBE(0);
    if (!(due >= 0)) throw new StoreDamage(`the expiry of revision ${revision} is not a time`);
  };
  yield* walk.walk({ name: 'the table expiry', root, visit });
}

function revisionOf({ page, keyStart, keyEnd }: TreeEntry, newest: number, table: string): number {
  const name = `a revision in the table ${table}`;
  if (keyEnd - keyStart !== 8) throw new StoreDamage(`${name} is not a number`);
  const revision = count(page.readDoubleBE(keyStart), name);
  if (revision > newest)
    throw new StoreDamage(`revision ${revision} is in the table ${table}, the newest is ${newest}`);
  return revision;
}

/** Checks that a number is a valid count. */
function count(value: number, name: string): number {
  if (!Number.isSafeInteger(value) || value < 0) throw new StoreDamage(`${name} is not a number`);
  return value;
}
