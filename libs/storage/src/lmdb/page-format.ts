import { StoreDamage } from './store-damage.ts';

// The format of LMDB's data file: mdb.c of lmdb-js, version 2 of the data, little endian.

const magic = 0xbeefc0de;
const dataVersion = 2;
/** `MDB_INTEGERKEY`: the tree of free pages has numbers as keys. */
const integerKeys = 8;

/** The pages before the trees: two meta pages, which commits write alternately. */
export const metaPages = 2;
/** Bytes of the header of every page. */
export const pageHeaderBytes = 24;
/** Bytes of a meta page that are used. */
export const metaBytes = pageHeaderBytes + 144;
/** The root of a tree without entries. */
export const noPage = 2 ** 64;
/** The deepest tree that LMDB supports: its `CURSOR_STACK`. */
export const maxTreeDepth = 32;

export const pageFlags = { branch: 1, leaf: 2, overflow: 4, meta: 8 } as const;
export const nodeFlags = { overflow: 1, tree: 2 } as const;

/** A tree and its counters in LMDB: `MDB_db`. */
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

/**
 * Reads an unsigned integer of 64 bits; beyond 2^53 it is rounded, which valid files contain only for
 * {@link noPage}.
 */
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

/** Parses a meta page. Throws StoreDamage if it is invalid. */
export function readMetaPage(bytes: Buffer, number: number): MetaPage {
  const at = pageHeaderBytes;
  if (bytes.readUInt32LE(at) !== magic || bytes.readUInt16LE(18) !== pageFlags.meta)
    throw new StoreDamage(`meta page ${number} is not an LMDB meta page`);
  const version = bytes.readUInt32LE(at + 4);
  if (version !== dataVersion)
    throw new StoreDamage(
      `meta page ${number} has LMDB's data version ${version}, ${dataVersion} is supported`,
    );
  const pageSize = bytes.readUInt32LE(at + 24);
  const isPageSize = pageSize >= 512 && pageSize <= 65_536 && Number.isInteger(Math.log2(pageSize));
  if (!isPageSize) throw new StoreDamage(`meta page ${number} has the page size ${pageSize}`);
  const [free, main] = [readTreeRoot(bytes, at + 24), readTreeRoot(bytes, at + 72)];
  // Flags determine how LMDB reads the pages of a tree.
  if (free.flags !== integerKeys || main.flags !== 0)
    throw new StoreDamage(`meta page ${number} has unknown flags`);
  return {
    pageSize,
    free,
    main,
    lastPage: readUint64(bytes, at + 120),
    transaction: readUint64(bytes, at + 128),
  };
}

/** Returns the meta page of the last commit. Throws StoreDamage if the two pages do not belong together. */
export function newestMeta(first: MetaPage, second: MetaPage): MetaPage {
  if (first.pageSize !== second.pageSize) throw new StoreDamage('the meta pages differ in their page size');
  const [even, odd] = [first.transaction, second.transaction];
  // Transaction numbers have no gap; even ones are in the first page, odd ones in the second.
  const isPair = even % 2 === 0 && (odd % 2 === 1 ? Math.abs(even - odd) === 1 : odd === 0 && even === 0);
  if (!isPair) throw new StoreDamage(`the meta pages are of the transactions ${even} and ${odd}`);
  return even >= odd ? first : second;
}
