import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { tempFolder } from '@annex/testkit';
import { open } from 'lmdb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkStore } from './check-store.ts';
import { openLmdbStore, openStoreImage, restoreStore } from './open-lmdb-store.ts';
import { maxTreeDepth } from './page-format.ts';
import { maxUnwrittenPages } from './tree-walk.ts';

const folder = tempFolder();
afterAll(() => folder[Symbol.dispose]());
let directories = 0;
const newDirectory = () => join(folder.path, String(++directories));

const pageBytes = 4096;
const intact = join(folder.path, 'whole');
let bytes: Buffer;

beforeAll(async () => {
  const store = await openLmdbStore({ dir: intact });
  const keys = Array.from({ length: 300 }, (_, i) => `/registry/things/${i}`);
  // Every tenth value uses overflow pages.
  const created = await Promise.all(
    keys.map((key, i) => store.create(key, Buffer.alloc(i % 10 === 0 ? 9000 : 200, i))),
  );
  for (const [i, key] of keys.entries()) {
    if (i % 3 === 0) await store.update(key, Buffer.from(`the value of ${key}`), created[i]!);
    if (i % 7 === 0) await store.delete(key);
  }
  await store.close();
  bytes = readFileSync(join(intact, 'data.mdb'));
});

/** A directory with these bytes as its data file, and the other files of the store. */
function directoryWith(data: Uint8Array): string {
  const dir = newDirectory();
  cpSync(intact, dir, { recursive: true });
  writeFileSync(join(dir, 'data.mdb'), data);
  return dir;
}

function changed(change: (copy: Buffer) => void): Buffer {
  const copy = Buffer.from(bytes);
  change(copy);
  return copy;
}

async function contentOf(dir: string): Promise<string> {
  const store = await openLmdbStore({ dir });
  try {
    const { entries, revision } = await store.list('');
    return [revision, ...entries.map((e) => `${e.key} ${e.modRevision} ${String(e.value)}`)].join('\n');
  } finally {
    await store.close();
  }
}

/** Pseudo-random numbers, the same in each run. */
function randomFrom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const noise = (length: number): Buffer => {
  const random = randomFrom(length);
  return Buffer.from(Array.from({ length }, () => random(256)));
};

/** The position of the newest meta page. */
const newest = () =>
  bytes.readUInt32LE(24 + 128) > bytes.readUInt32LE(pageBytes + 24 + 128) ? 0 : pageBytes;
const valueOf = (text: string) => bytes.lastIndexOf(text);

describe('a damaged store is refused with a description', () => {
  it.each<[why: string, data: () => Uint8Array, words: string]>([
    ['is random', () => noise(60_000), 'is damaged: meta page 0 is not an LMDB meta page'],
    ['is empty', () => Buffer.alloc(0), 'is damaged: it is empty'],
    ['is a few bytes', () => Buffer.from('hello'), 'is damaged: it ends at byte 5'],
    [
      'is text of another program',
      () => Buffer.alloc(9000, '{"a":1}\n'),
      'meta page 0 is not an LMDB meta page',
    ],
    ['is zeros', () => Buffer.alloc(bytes.length), 'meta page 0 is not an LMDB meta page'],
    ['is cut in half', () => bytes.subarray(0, bytes.length / 2), 'is damaged: it is cut off: page'],
    ['ends after its meta pages', () => bytes.subarray(0, 2 * pageBytes), 'is damaged: it is cut off: page'],
    [
      'has another magic number',
      () => changed((b) => b.writeUInt32LE(1, 24)),
      'meta page 0 is not an LMDB meta page',
    ],
    [
      'has another version',
      () => changed((b) => b.writeUInt32LE(9, 28)),
      "LMDB's data version 9, 2 is supported",
    ],
    ['has an impossible page size', () => changed((b) => b.writeUInt32LE(77, 48)), 'the page size 77'],
    [
      'lacks its second meta page',
      () => changed((b) => b.fill(0, pageBytes, 2 * pageBytes)),
      'meta page 1 is not',
    ],
    [
      'lacks both meta pages',
      () => changed((b) => b.fill(7, 0, 2 * pageBytes)),
      'meta page 0 is not an LMDB meta page',
    ],
    [
      'has meta pages of different times',
      () => changed((b) => b.writeUInt32LE(b.readUInt32LE(newest() + 152) + 10, newest() + 152)),
      'the meta pages are of the transactions',
    ],
    [
      'has a root beyond its end',
      () => changed((b) => b.writeUInt32LE(1_000_000, newest() + 24 + 72 + 40)),
      'a tree leads to page 1000000',
    ],
    [
      'has a tree that is deeper than LMDB supports',
      () => changed((b) => b.writeUInt16LE(maxTreeDepth + 1, newest() + 24 + 72 + 6)),
      'is 33 pages deep',
    ],
    [
      'has a last page beyond its end',
      () => changed((b) => b.writeUInt32LE(2 ** 31, newest() + 24 + 120)),
      'it is cut off: it has ',
    ],
    [
      'has one page more than maxUnwrittenPages',
      () =>
        changed((b) =>
          b.writeUInt32LE(2 * (b.length / pageBytes) + maxUnwrittenPages + 1, newest() + 24 + 120),
        ),
      'it is cut off: it has ',
    ],
    [
      'has a value that was overwritten',
      () => changed((b) => b.write('THE', valueOf('the value of /registry/things/9'))),
      'the value of the key /registry/things/9 at revision',
    ],
    [
      'has random pages in its middle',
      () => changed((b) => noise(20 * pageBytes).copy(b, 8 * pageBytes)),
      'is damaged: ',
    ],
    [
      'has zeros in its middle',
      () => changed((b) => b.fill(0, 8 * pageBytes, 28 * pageBytes)),
      'is damaged: ',
    ],
  ])('where data.mdb %s', async (_why, data, words) => {
    const dir = directoryWith(data());
    const message = expect.stringContaining(words) as string;
    await expect(openLmdbStore({ dir })).rejects.toMatchObject({ code: 'damaged', message });
    await expect(openStoreImage(dir)).rejects.toMatchObject({ code: 'damaged', message });
    expect(readFileSync(join(dir, 'data.mdb')).equals(data())).toBe(true);
  });

  it.each<[what: string, change: (data: string, dir: string) => void, words: string]>([
    [
      'missing beside other files of a store',
      (data) => rmSync(data),
      'is missing, but the directory contained a store',
    ],
    [
      'missing beside lock.mdb alone',
      (data, dir) => (rmSync(data), rmSync(join(dir, 'clean-close.json'))),
      'is missing, but the directory contained a store',
    ],
    ['a directory', (data) => (rmSync(data), mkdirSync(data)), 'is not a store: it is not a regular file'],
    [
      'a link to the data file',
      (data) => (rmSync(data), symlinkSync(join(intact, 'data.mdb'), data)),
      'not a regular file',
    ],
    [
      'a link to a device',
      (data) => (rmSync(data), symlinkSync('/dev/zero', data)),
      'it is not a regular file',
    ],
    ['a dangling link', (data) => (rmSync(data), symlinkSync('nothing', data)), 'it is not a regular file'],
    [
      'whole beside a lock.mdb that is a directory',
      (_data, dir) => (rmSync(join(dir, 'lock.mdb')), mkdirSync(join(dir, 'lock.mdb'))),
      'lock.mdb beside it is not a regular file',
    ],
    [
      'missing after an interrupted restore',
      (_data, dir) => (
        rmSync(dir, { recursive: true }),
        mkdirSync(join(dir, 'restoring-1'), { recursive: true })
      ),
      'was interrupted. No orderly close of it is known. To restore a snapshot, run: annex restore FILE',
    ],
  ])('where data.mdb is %s', async (_what, change, words) => {
    const dir = directoryWith(bytes);
    change(join(dir, 'data.mdb'), dir);
    await expect(openLmdbStore({ dir })).rejects.toMatchObject({
      code: 'damaged',
      message: expect.stringContaining(words) as string,
    });
  });

  it.each<[what: string, name: string, words: string]>([
    ['the database of another program', 'notes', 'is not a store: it has no table keys'],
    ['a store of a later version', 'about', 'the format 2 of a later version of Annex, this one supports 1'],
  ])('where data.mdb is %s', async (_what, name, words) => {
    const dir = newDirectory();
    const root = open({ path: dir, overlappingSync: false, encoding: 'binary' });
    for (const table of name === 'about' ? ['keys', 'log', 'values', 'expiry'] : [])
      root.openDB({ name: table });
    const two = Buffer.alloc(8);
    two.writeDoubleBE(2);
    await root.openDB({ name, encoding: 'binary' }).put('format', two);
    await root.close();
    await expect(openLmdbStore({ dir })).rejects.toMatchObject({
      code: 'damaged',
      message: expect.stringContaining(words) as string,
    });
  });

  it('with the time of the last orderly close, and the restore command', async () => {
    const dir = directoryWith(bytes.subarray(0, 40_960));
    const { closedAt, revision } = JSON.parse(readFileSync(join(dir, 'clean-close.json'), 'utf8')) as Record<
      string,
      string
    >;
    const { message } = (await openLmdbStore({ dir }).catch((error: unknown) => error)) as Error;
    expect(message).toMatch(
      new RegExp(
        `^${dir}/data.mdb is damaged: it is cut off: page \\d+ is missing\\. ` +
          `It was intact at ${closedAt}, when it was closed with revision ${revision}\\. ` +
          `It was last written at [\\dT:.-]+Z\\. To restore a snapshot, run: annex restore FILE --store-dir=${dir}$`,
      ),
    );
  });
});

describe('a restore over a damaged store', () => {
  it.each<[what: string, change: (data: string) => void]>([
    ['is random', (data) => writeFileSync(data, noise(50_000))],
    ['is cut off', (data) => truncateSync(data, 40_960)],
    ['is missing', (data) => rmSync(data)],
    ['is a directory', (data) => (rmSync(data), mkdirSync(data))],
  ])('assigns no revision again if data.mdb %s', async (_what, change) => {
    const dir = directoryWith(bytes);
    const image = await openStoreImage(intact);
    const [{ revision }, entries] = [image, [...image.entries()]];
    image[Symbol.dispose]();
    change(join(dir, 'data.mdb'));
    const source = {
      revision,
      async *entries() {
        yield* entries;
      },
    };
    expect(await restoreStore(dir, source)).toEqual({
      revision: revision + 1_000_000_001,
      count: entries.length,
    });
    const [, ...before] = (await contentOf(intact)).split('\n');
    expect((await contentOf(dir)).split('\n')).toEqual([String(revision + 1_000_000_001), ...before]);
  });
});

describe('an intact store opens', () => {
  it.each<[what: string, change: (dir: string) => void]>([
    ['after an orderly close', () => undefined],
    ['without the note of its last close', (dir) => rmSync(join(dir, 'clean-close.json'))],
    ['with a note that is damaged', (dir) => writeFileSync(join(dir, 'clean-close.json'), noise(3000))],
    [
      'with a note of another store',
      (dir) => writeFileSync(join(dir, 'clean-close.json'), '{"annexStore":1,"revision":1}'),
    ],
    ['with a lock.mdb that is damaged', (dir) => writeFileSync(join(dir, 'lock.mdb'), noise(3000))],
    ['without lock.mdb', (dir) => rmSync(join(dir, 'lock.mdb'))],
    ['with more behind its end', (dir) => writeFileSync(join(dir, 'data.mdb'), noise(9999), { flag: 'a' })],
    ['beside files of an interrupted restore', (dir) => mkdirSync(join(dir, 'restoring-1'))],
  ])('%s', async (_what, change) => {
    const dir = directoryWith(bytes);
    change(dir);
    expect(await contentOf(dir)).toBe(await contentOf(intact));
    expect(existsSync(join(dir, 'restoring-1'))).toBe(false);
  });
});

type Damage = (copy: Buffer, random: (below: number) => number) => Buffer;

const atPage = (copy: Buffer, random: (below: number) => number) =>
  pageBytes * random(copy.length / pageBytes);

const damages: [name: string, damage: Damage][] = [
  ['a byte', (copy, random) => ((copy[random(copy.length)] = random(256)), copy)],
  ['a page header', (copy, random) => ((copy[atPage(copy, random) + random(64)] = random(256)), copy)],
  ['a meta page', (copy, random) => ((copy[random(2) * pageBytes + random(170)] = random(256)), copy)],
  [
    'a page of zeros',
    (copy, random) => {
      const at = atPage(copy, random);
      return copy.fill(0, at, at + pageBytes);
    },
  ],
  [
    'a page instead of another',
    (copy, random) => {
      const from = atPage(copy, random);
      copy.copy(copy, atPage(copy, random), from, from + pageBytes);
      return copy;
    },
  ],
  ['fewer pages', (copy, random) => copy.subarray(0, atPage(copy, random))],
  ['an end within a page', (copy, random) => copy.subarray(0, random(copy.length))],
];

describe('random damage', () => {
  it.each(damages)('of %s is refused, or does no harm', { timeout: 60_000 }, async (_name, damage) => {
    const random = randomFrom(13);
    const expected = await contentOf(intact);
    const outcomes = { refused: 0, harmless: 0 };
    for (let i = 0; i < 60; i++) {
      const dir = directoryWith(damage(Buffer.from(bytes), random));
      const error = await checkStore(dir).then(
        () => undefined,
        (reason: unknown) => reason,
      );
      if (error) expect(error).toMatchObject({ code: 'damaged' });
      else expect(await contentOf(dir)).toBe(expected);
      outcomes[error ? 'refused' : 'harmless']++;
      rmSync(dir, { recursive: true });
    }
    expect(outcomes.refused).toBeGreaterThan(0);
  });
});
