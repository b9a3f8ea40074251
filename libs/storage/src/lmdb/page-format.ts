import { StoreDamage } from './store-damage.ts';

// The format of LMDB's data file: mdb.c of lmdb-js, version 2 of the data, little endian.

const magic = 0xbeefc0de;
const dataVersion = 2;
/** `MDB_INTEGERKEY`: the tree of free pages has numbers as keys. */
const integerKeys = 8;

/** The pages before the trees: two meta pages, which commits write in turns. */
export const metaPages = 2;
/** Of every page, in bytes. */
export const pageHeaderBytes = 24;
/** What a meta page needs, in bytes. */
export const metaBytes = pageHeaderBytes + 144;
/** The root of a tree without entries. */
export const noPage = 2 ** 64;
/** LMDB descends no further: its `CURSOR_STACK`. */
export const maxTreeDepth = 32;

export const pageFlags = { branch: 1, leaf: 2, overflow: 4, meta: 8 } as const;
export const nodeFlags = { overflow: 1, tree: 2 } as const;

/** A tree and what LMDB counted in it: `MDB_db`. */
export interface TreeRoot {
  flags: number;
  depth: number;
  branchPages: number;
  leafPages: number;
  overflowPages: number;
  entries: number;
  root: number;
}

/** The length of a {@link TreeRoot} in bytes. */
export const treeRootBytes = 48;

/** A meta page: `MDB_meta`. */
export interface MetaPage {
  pageSize: number;
  lastPage: number;
  transaction: number;
  free: TreeRoot;
  main: TreeRoot;
}

/** An unsigned integer of 64 bits; beyond 2^53 it is rounded, which no valid file contains but for {@link noPage}. */
export function readUint64(bytes: Buffer, at: number): number {
  return bytes.readUInt32LE(at + 4) * 2 ** 32 + bytes.readUInt32LE(at);
}

export function readTreeRoot(bytes: Buffer, at: number): TreeRoot {
  return {
    flags: bytes.readUInt16LE(at + 4),
    depth: bytes.readUInt16LE(at + 6),
    branchPages: readUint64(bytes, at + 8),
    leafPages: readUint64(bytes, at + 16),
    overflowPages: readUint64(bytes, at + 24),
    entries: readUint64(bytes, at + 32),
    root: readUint64(bytes, at + 40),
  };
}

/** Reads a meta page. Throws StoreDamage for anything else. */
export function readMetaPage(bytes: Buffer, number: number): MetaPage {
  const at = pageHeaderBytes;
  if (bytes.readUInt32LE(at) !== magic || bytes.readUInt16LE(18) !== pageFlags.meta)
    throw new StoreDamage(`meta page ${number} is not one of LMDB`);
  const version = bytes.readUInt32LE(at + 4);
  if (version !== dataVersion)
    throw new StoreDamage(
      `meta page ${number} has LMDB's data version ${version}, ${dataVersion} is supported`,
    );
  const pageSize = bytes.readUInt32LE(at + 24);
  const isPageSize = pageSize >= 512 && pageSize <= 65_536 && Number.isInteger(Math.log2(pageSize));
  if (!isPageSize) throw new StoreDamage(`meta page ${number} has the page size ${pageSize}`);
  const [free, main] = [readTreeRoot(bytes, at + 24), readTreeRoot(bytes, at + 72)];
  // Flags decide how LMDB reads the pages of a tree.
  if (free.flags !== integerKeys || main.flags !== 0)
    throw new StoreDamage(`meta page ${number} has flags that are not known`);
  return {
    pageSize,
    free,
    main,
    lastPage: readUint64(bytes, at + 120),
    transaction: readUint64(bytes, at + 128),
  };
}

/** The meta page of the last commit. Throws StoreDamage where the two cannot be of one file. */
export function newestMeta(first: MetaPage, second: MetaPage): MetaPage {
  if (first.pageSize !== second.pageSize) throw new StoreDamage('the meta pages differ in their page size');
  const [even, odd] = [first.transaction, second.transaction];
  // Transactions are numbered without a gap; the even ones are in the first page, the odd ones in the second.
  const isPair = even % 2 === 0 && (odd % 2 === 1 ? Math.abs(even - odd) === 1 : odd === 0 && even === 0);
  if (!isPair) throw new StoreDamage(`the meta pages are of the transactions ${even} and ${odd}`);
  return even >= odd ? first : second;
}
