import type { DataFile } from './data-file.ts';
import {
  maxTreeDepth,
  metaPages,
  type MetaPage,
  nodeFlags,
  noPage,
  pageFlags,
  pageHeaderBytes,
  readUint64,
  type TreeRoot,
} from './page-format.ts';
import { StoreDamage } from './store-damage.ts';

/** An entry of a tree. It is valid until the next one is visited. */
export interface TreeEntry {
  page: Buffer;
  keyStart: number;
  keyEnd: number;
  flags: number;
  valueBytes: number;
  /** The offset of the value in the page, unless it has overflow pages. */
  valueStart: number;
  /** The first overflow page of a value; 0 if there is none. */
  overflowPage: number;
}

/** Compares bytes of one page with bytes of another, like `Buffer.compare`. */
export type CompareKeys = (a: Key, b: Key) => number;

interface Key {
  page: Buffer;
  start: number;
  end: number;
}

/** A tree to walk: its name, its key order, and the visitor of its entries. */
export interface WalkedTree {
  name: string;
  root: TreeRoot;
  compare?: CompareKeys;
  visit(entry: TreeEntry): void;
}

type Counts = Pick<TreeRoot, 'branchPages' | 'leafPages' | 'overflowPages' | 'entries'>;

const nodeHeaderBytes = 8;
/**
 * Pages beyond the end of the file: LMDB reserves address space up to the last page, so a higher number is
 * damage.
 */
export const maxUnwrittenPages = 65_536;
const overflowReferenceBytes = 24;
const even = (count: number): number => count + (count & 1);

export const compareBytes: CompareKeys = (a, b) => a.page.compare(b.page, b.start, b.end, a.start, a.end);

/** The order of LMDB's tree of free pages, whose keys are transaction numbers. */
export const compareIntegers: CompareKeys = (a, b) =>
  readUint64(a.page, a.start) - readUint64(b.page, b.start);

/**
 * Visits the entries of trees in a data file, every page once, and validates each page: LMDB can open a file
 * that passes. Throws StoreDamage. The work is linear in the number of pages and entries.
 */
export class TreeWalk {
  readonly #file: DataFile;
  readonly #meta: MetaPage;
  /** One byte for each page of the file; 1 if a tree contains it. */
  readonly #reached: Uint8Array;
  /** One page per depth: the pages above the current one contain the bounds of its keys. */
  readonly #pages: Buffer[] = [];
  /** The offsets and lengths of the nodes of the current page. */
  readonly #nodeSizes: Uint16Array;
  #visitedPages = 0;

  constructor(file: DataFile, meta: MetaPage) {
    this.#file = file;
    this.#meta = meta;
    const writtenPages = Math.ceil(file.size / meta.pageSize);
    // A commit may count pages that it freed again and never wrote.
    if (meta.lastPage > 2 * writtenPages + maxUnwrittenPages)
      throw new StoreDamage(`it is cut off: it has ${writtenPages} pages, its last one is ${meta.lastPage}`);
    this.#reached = new Uint8Array(writtenPages);
    this.#nodeSizes = new Uint16Array(meta.pageSize);
  }

  /** True if a tree uses this page. */
  isUsed(page: number): boolean {
    return page < metaPages || this.#reached[page] === 1;
  }

  /** Walks a tree; yields regularly, so that the caller can do other work. */
  *walk(tree: WalkedTree): Generator<undefined> {
    const { root } = tree;
    const counts: Counts = { branchPages: 0, leafPages: 0, overflowPages: 0, entries: 0 };
    if (root.depth > maxTreeDepth) throw new StoreDamage(`${tree.name} is ${root.depth} pages deep`);
    if (root.root !== noPage) yield* this.#walkPage(tree, counts, root.root, 1, undefined, undefined);
    for (const name of ['branchPages', 'leafPages', 'overflowPages', 'entries'] as const) {
      if (counts[name] === root[name]) continue;
      throw new StoreDamage(`${tree.name} has ${counts[name]} ${words[name]}, ${root[name]} were counted`);
    }
  }

  /** Returns the bytes of a value. */
  value({ page, valueStart, valueBytes, overflowPage }: TreeEntry): Buffer {
    if (overflowPage === 0) return page.subarray(valueStart, valueStart + valueBytes);
    const position = overflowPage * this.#meta.pageSize + pageHeaderBytes;
    return this.#file.read(Buffer.allocUnsafe(valueBytes), position);
  }

  *#walkPage(
    tree: WalkedTree,
    counts: Counts,
    number: number,
    depth: number,
    low: Key | undefined,
    high: Key | undefined,
  ): Generator<undefined> {
    if (++this.#visitedPages % 256 === 0) yield undefined;
    const isLeaf = depth === tree.root.depth;
    const page = this.#readPage(number, depth, isLeaf ? pageFlags.leaf : pageFlags.branch);
    const count = this.#checkNodes(page, number, isLeaf);
    this.#checkOrder(tree, page, number, isLeaf, count, low, high);
    if (isLeaf) {
      counts.leafPages++;
      counts.entries += count;
      for (let i = 0; i < count; i++) tree.visit(this.#entry(page, number, i, counts));
      return;
    }
    counts.branchPages++;
    for (let i = 0; i < count; i++) {
      const node = nodeStart(page, i);
      const child =
        page.readUInt16LE(node) +
        page.readUInt16LE(node + 2) * 2 ** 16 +
        page.readUInt16LE(node + 4) * 2 ** 32;
      const childLow = i === 0 ? low : keyOf(page, i);
      const childHigh = i === count - 1 ? high : keyOf(page, i + 1);
      yield* this.#walkPage(tree, counts, child, depth + 1, childLow, childHigh);
    }
  }

  #readPage(number: number, depth: number, flags: number): Buffer {
    const { pageSize } = this.#meta;
    this.#reach(number, 1);
    const page = (this.#pages[depth] ??= Buffer.allocUnsafe(pageSize));
    this.#file.read(page, number * pageSize);
    this.#checkHeader(page, number, flags);
    return page;
  }

  /** Marks pages as used by a tree. */
  #reach(number: number, count: number): void {
    const { lastPage } = this.#meta;
    if (number < metaPages || number + count - 1 > lastPage)
      throw new StoreDamage(`a tree leads to page ${number}, the last one is ${lastPage}`);
    if (number + count > this.#reached.length)
      throw new StoreDamage(`it is cut off: page ${number + count - 1} is missing`);
    for (let page = number; page < number + count; page++) {
      if (this.#reached[page] === 1) throw new StoreDamage(`page ${page} has two uses`);
      this.#reached[page] = 1;
    }
  }

  #checkHeader(page: Buffer, number: number, flags: number): void {
    if (readUint64(page, 0) !== number || page.readUInt16LE(18) !== flags)
      throw new StoreDamage(`page ${number} does not match its tree`);
    const transaction = readUint64(page, 8);
    if (transaction > this.#meta.transaction)
      throw new StoreDamage(
        `page ${number} is of transaction ${transaction}, the last one is ${this.#meta.transaction}`,
      );
  }

  /** Checks that the nodes of a page fill its upper part without a gap. Returns their number. */
  #checkNodes(page: Buffer, number: number, isLeaf: boolean): number {
    const { pageSize } = this.#meta;
    const lower = page.readUInt16LE(20);
    const count = lower >> 1;
    const upper = page.readUInt16LE(22) + pageHeaderBytes;
    const broken = () => new StoreDamage(`page ${number} is not a valid page of a tree`);
    if (lower % 2 === 1 || count < (isLeaf ? 1 : 2) || lower + pageHeaderBytes > upper || upper > pageSize)
      throw broken();
    const sizes = this.#nodeSizes;
    sizes.fill(0, upper);
    for (let i = 0; i < count; i++) {
      const start = nodeStart(page, i);
      if (start < upper || start % 2 === 1 || start + nodeHeaderBytes > pageSize) throw broken();
      const size = nodeSize(page, start, isLeaf);
      if (start + size > pageSize) throw broken();
      sizes[start] = size;
    }
    let found = 0;
    let at = upper;
    for (; at < pageSize && sizes[at]! > 0; at += sizes[at]!) found++;
    if (at !== pageSize || found !== count) throw broken();
    return count;
  }

  #checkOrder(
    { compare = compareBytes }: WalkedTree,
    page: Buffer,
    number: number,
    isLeaf: boolean,
    count: number,
    low: Key | undefined,
    high: Key | undefined,
  ): void {
    const unordered = () => new StoreDamage(`the keys of page ${number} are not in order`);
    // The first key of a branch page is not used: it covers every key before the second one.
    const first = isLeaf ? 0 : 1;
    let previous = keyOf(page, first);
    if (compare === compareIntegers) checkIntegerKeys(page, first, count, unordered);
    if (low && compare(previous, low) < 0) throw unordered();
    for (let i = first + 1; i < count; i++) {
      const key = keyOf(page, i);
      if (compare(previous, key) >= 0) throw unordered();
      previous = key;
    }
    if (high && compare(previous, high) >= 0) throw unordered();
  }

  #entry(page: Buffer, number: number, index: number, counts: Counts): TreeEntry {
    const node = nodeStart(page, index);
    const keyStart = node + nodeHeaderBytes;
    const keyEnd = keyStart + page.readUInt16LE(node + 6);
    const flags = page.readUInt16LE(node + 4);
    const valueBytes = page.readUInt32LE(node);
    const entry = { page, keyStart, keyEnd, flags, valueBytes, valueStart: keyEnd, overflowPage: 0 };
    if ((flags & ~(nodeFlags.overflow | nodeFlags.tree)) !== 0)
      throw new StoreDamage(`page ${number} has an entry of an unknown kind`);
    if ((flags & nodeFlags.overflow) === 0) return entry;
    entry.overflowPage = readUint64(page, keyEnd);
    const pages = readUint64(page, keyEnd + 16);
    this.#checkOverflow(entry.overflowPage, pages, valueBytes);
    counts.overflowPages += pages;
    return entry;
  }

  #checkOverflow(number: number, pages: number, valueBytes: number): void {
    const { pageSize } = this.#meta;
    if (pages * pageSize < valueBytes + pageHeaderBytes)
      throw new StoreDamage(`the value in page ${number} is longer than its pages`);
    this.#reach(number, pages);
    const header = this.#file.read(Buffer.allocUnsafe(pageHeaderBytes), number * pageSize);
    this.#checkHeader(header, number, pageFlags.overflow);
    if (header.readUInt32LE(20) !== pages) throw new StoreDamage(`page ${number} does not match its tree`);
  }
}

const words = {
  branchPages: 'branch pages',
  leafPages: 'leaf pages',
  overflowPages: 'overflow pages',
  entries: 'entries',
} as const;

function nodeStart(page: Buffer, index: number): number {
  return page.readUInt16LE(pageHeaderBytes + 2 * index) + pageHeaderBytes;
}

function keyOf(page: Buffer, index: number): Key {
  const start = nodeStart(page, index) + nodeHeaderBytes;
  return { page, start, end: start + page.readUInt16LE(start - 2) };
}

function nodeSize(page: Buffer, start: number, isLeaf: boolean): number {
  const keyBytes = page.readUInt16LE(start + 6);
  if (!isLeaf) return even(nodeHeaderBytes + keyBytes);
  const isOverflow = (page.readUInt16LE(start + 4) & nodeFlags.overflow) !== 0;
  return even(nodeHeaderBytes + keyBytes + (isOverflow ? overflowReferenceBytes : page.readUInt32LE(start)));
}

function checkIntegerKeys(page: Buffer, first: number, count: number, unordered: () => StoreDamage): void {
  for (let i = first; i < count; i++) {
    const { start, end } = keyOf(page, i);
    if (end - start !== 8) throw unordered();
  }
}
