import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { openLmdbStore } from './open-lmdb-store.ts';
import { storeContract } from '../store.contract.ts';
import type { Store, StoreEvent } from '../store.ts';

const base = mkdtempSync(join(tmpdir(), 'annex-lmdb-'));
afterAll(() => rmSync(base, { recursive: true, force: true }));

let directories = 0;
const newDirectory = () => join(base, String(++directories));
const child = fileURLToPath(new URL('./testdata/lmdb-child.ts', import.meta.url));
const things = '/registry/things/';

storeContract('LMDB', { open: () => openLmdbStore({ dir: newDirectory() }) });

function run(
  command: string,
  args: string[],
): { process: ChildProcess; lines: AsyncIterableIterator<string> } {
  const process = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  return { process, lines: createInterface({ input: process.stdout })[Symbol.asyncIterator]() };
}

const mapsOf = (dir: string): string[] =>
  readFileSync('/proc/self/maps', 'utf8')
    .split('\n')
    .filter((line) => line.endsWith(`${dir}/data.mdb`));

async function history(store: Store, fromRevision: number): Promise<StoreEvent[]> {
  const stop = new AbortController();
  const until = await store.currentRevision();
  const events: StoreEvent[] = [];
  if (until === fromRevision) return events;
  for await (const batch of store.watch('/', { fromRevision, signal: stop.signal })) {
    events.push(...batch.events);
    if (batch.revision >= until) break;
  }
  return events;
}

describe('surviving kill -9', () => {
  const rounds = 5;
  test('every acknowledged write is there and history has no gap', { timeout: 60_000 }, async () => {
    const dir = newDirectory();
    const acknowledged = new Map<number, string>();
    for (let round = 0; round < rounds; round++) {
      const { process: writer, lines } = run(process.execPath, [child, dir, 'write', String(round)]);
      onTestFinished(() => void writer.kill('SIGKILL'));
      const expected = acknowledged.size + 200 + round * 37;
      // Its output ends a moment before the process does.
      const gone = once(writer, 'exit');
      for await (const line of lines) {
        const [word, revision, key, what] = line.split(' ');
        if (word === 'ack') acknowledged.set(Number(revision), `${key} ${what}`);
        if (acknowledged.size === expected) writer.kill('SIGKILL');
      }
      await gone;
    }
    const store = await openLmdbStore({ dir });
    const events = await history(store, 1);
    expect(events.map((e) => e.entry.modRevision)).toEqual(events.map((_, i) => i + 2));
    const seen = new Map(
      events.map(({ type, entry, previous }) => [
        entry.modRevision,
        `${entry.key} ${type === 'delete' ? 'deleted' : previous ? 'updated' : 'created'}`,
      ]),
    );
    const lost = [...acknowledged].filter(([revision, what]) => seen.get(revision) !== what);
    expect(lost).toEqual([]);
    const live = new Map<string, string>();
    for (const { type, entry } of events) {
      if (type === 'delete') live.delete(entry.key);
      else live.set(entry.key, Buffer.from(entry.value).toString());
    }
    const { entries } = await store.list(things);
    expect(new Map(entries.map((e) => [e.key, Buffer.from(e.value).toString()]))).toEqual(
      new Map([...live].sort(([a], [b]) => (a < b ? -1 : 1))),
    );
    await store.close();
  });
});

describe('opening', () => {
  test('writes in a loop leave turns to timers and sockets', async () => {
    const store = await openLmdbStore({ dir: newDirectory() });
    let turns = 0;
    const count = () => void (turns++, (turning = setImmediate(count)));
    let turning = setImmediate(count);
    for (let i = 0; i < 20; i++) await store.create(`${things}${i}`, Buffer.from('one'));
    clearImmediate(turning);
    await store.close();
    expect(turns).toBeGreaterThanOrEqual(20);
  });

  test('writes need no thread of Node: it would take 15 MB', async () => {
    let threads = 0;
    const onWorker = () => void threads++;
    process.on('worker', onWorker);
    const store = await openLmdbStore({ dir: newDirectory() });
    await store.create(`${things}a`, Buffer.from('one'));
    process.off('worker', onWorker);
    await store.close();
    expect(threads).toBe(0);
  });

  test('data, revisions and history are there after closing and opening again', async () => {
    const dir = newDirectory();
    const first = await openLmdbStore({ dir });
    const created = await first.create(`${things}a`, Buffer.from('one'));
    await first.update(`${things}a`, Buffer.from('two'), created);
    await first.close();
    const second = await openLmdbStore({ dir });
    const { entry, revision } = await second.get(`${things}a`);
    expect([
      Buffer.from(entry!.value).toString(),
      entry!.createRevision,
      entry!.modRevision,
      revision,
    ]).toEqual(['two', created, created + 1, created + 1]);
    expect(Buffer.from((await second.get(`${things}a`, { revision: created })).entry!.value).toString()).toBe(
      'one',
    );
    expect((await history(second, 1)).map((e) => e.type)).toEqual(['put', 'put']);
    await second.close();
  });

  test('a time to live continues after the store is opened again', async () => {
    const dir = newDirectory();
    const first = await openLmdbStore({ dir });
    const created = await first.create(`${things}a`, Buffer.from('x'), { ttlSeconds: 1 });
    await first.close();
    const second = await openLmdbStore({ dir });
    const stop = new AbortController();
    for await (const { events } of second.watch(things, { fromRevision: created, signal: stop.signal })) {
      expect(events.map((e) => [e.type, e.entry.key])).toEqual([['delete', `${things}a`]]);
      break;
    }
    await second.close();
  });

  test('so do more than are scheduled in one turn of the event loop, and those that are changed keep their new one', async () => {
    const dir = newDirectory();
    const first = await openLmdbStore({ dir });
    const keys = Array.from({ length: 4500 }, (_, i) => `${things}${String(i).padStart(4, '0')}`);
    await Promise.all(keys.map((key) => first.create(key, Buffer.from('x'), { ttlSeconds: 1 })));
    await first.close();
    const second = await openLmdbStore({ dir });
    const { entry } = await second.get(keys[0]!);
    await second.update(keys[0]!, Buffer.from('y'), entry!.modRevision);
    const stop = new AbortController();
    const left = new Set(keys.slice(1));
    const from = { fromRevision: await second.currentRevision(), signal: stop.signal };
    for await (const { events } of second.watch(things, from)) {
      for (const { type, entry } of events) if (type === 'delete') left.delete(entry.key);
      if (left.size === 0) break;
    }
    expect((await second.list(things)).entries.map(({ key }) => key)).toEqual([keys[0]]);
    await second.close();
  });

  test('a directory that this process holds is refused', async () => {
    const dir = newDirectory();
    const store = await openLmdbStore({ dir });
    await expect(openLmdbStore({ dir })).rejects.toMatchObject({
      code: 'locked',
      message: `${dir} is held by process ${process.pid}`,
    });
    await store.close();
    await (await openLmdbStore({ dir })).close();
  });

  test('a directory that another process holds is refused until that process is dead', async () => {
    const dir = newDirectory();
    const { process: holder, lines } = run(process.execPath, [child, dir, 'hold']);
    expect((await lines.next()).value).toBe('open');
    await expect(openLmdbStore({ dir })).rejects.toMatchObject({
      code: 'locked',
      message: `${dir} is held by process ${holder.pid}`,
    });
    holder.kill('SIGKILL');
    await once(holder, 'exit');
    await (await openLmdbStore({ dir })).close();
  });

  test('the lock of a dead process is taken over, even if its id is in use again', async () => {
    const dir = newDirectory();
    await (await openLmdbStore({ dir })).close();
    symlinkSync(`${process.pid} 1@another-boot x`, join(dir, 'held-by'));
    await (await openLmdbStore({ dir })).close();
  });

  test.each<[what: string, make: (path: string) => void]>([
    ['a file', (path) => writeFileSync(path, 'x')],
    ['a directory', (path) => mkdirSync(path)],
  ])('a claim that is %s is refused immediately', async (_what, make) => {
    const dir = newDirectory();
    await (await openLmdbStore({ dir })).close();
    make(join(dir, 'held-by'));
    await expect(openLmdbStore({ dir })).rejects.toMatchObject({
      code: 'unavailable',
      message: `${dir}/held-by is not the lock of a store: remove it`,
    });
  });

  test('one of many processes takes over the directory of a dead process', async () => {
    const dir = newDirectory();
    await (await openLmdbStore({ dir })).close();
    symlinkSync('999999999 - x', join(dir, 'held-by'));
    const results = await Promise.allSettled(Array.from({ length: 8 }, () => openLmdbStore({ dir })));
    const stores = results.flatMap((r) => (r.status === 'fulfilled' ? [r.value] : []));
    expect(stores).toHaveLength(1);
    await stores[0]!.close();
  });
});

describe('space', () => {
  test('a full disk refuses writes as noSpace, and acknowledged writes can be read', async () => {
    const dir = newDirectory();
    const { lines } = run('sh', [
      '-c',
      'ulimit -f 2000; exec "$0" "$@"',
      process.execPath,
      child,
      dir,
      'fill',
    ]);
    const printed: string[] = [];
    for await (const line of lines) printed.push(line);
    const [, count] = /^noSpace after (\d+) with/.exec(printed[1] ?? '') ?? [];
    expect(printed[1]).toBe(`noSpace after ${count} with ${count} at ${Number(count) + 1}`);
    const store = await openLmdbStore({ dir });
    expect((await store.list(things)).entries).toHaveLength(Number(count));
    await store.create(`${things}more`, Buffer.alloc(20_000));
    await store.close();
  });

  test('a value beyond the limit and a key beyond a page are refused as tooLarge', async () => {
    const store = await openLmdbStore({ dir: newDirectory(), maxValueBytes: 10 });
    await expect(store.create(`${things}a`, Buffer.alloc(11))).rejects.toMatchObject({ code: 'tooLarge' });
    await expect(store.create(things + 'a'.repeat(2000), Buffer.alloc(1))).rejects.toMatchObject({
      code: 'tooLarge',
    });
    await store.close();
  });

  test('the data file is opened again when much of it is in memory: no earlier map of it stays', async () => {
    const dir = newDirectory();
    const store = await openLmdbStore({ dir, maxMappedBytes: 1 });
    const sizes = Array.from({ length: 30 }, (_, i) => 100_000 + i);
    for (const size of sizes) await store.create(things + size, Buffer.alloc(size));
    const { entries } = await store.list(things);
    expect(entries.map(({ value }) => value.length)).toEqual(sizes);
    expect(await history(store, 1)).toHaveLength(sizes.length);
    if (process.platform === 'linux') await expect.poll(() => mapsOf(dir)).toHaveLength(1);
    await store.close();
  });

  test('old history is compacted automatically, live keys stay', async () => {
    const store = await openLmdbStore({
      dir: newDirectory(),
      history: { revisions: 10, milliseconds: 0 },
    });
    for (let i = 0; i < 50; i++) {
      const created = await store.create(`${things}${i}`, Buffer.from('one'));
      await store.update(`${things}${i}`, Buffer.from('two'), created);
    }
    await expect
      .poll(() => store.get(`${things}0`, { revision: 80 }).catch((e: Error) => e))
      .toMatchObject({
        code: 'compacted',
        revision: 91,
      });
    const { entries } = await store.list(things);
    expect(entries.map((e) => Buffer.from(e.value).toString())).toEqual(
      Array.from({ length: 50 }, () => 'two'),
    );
    expect(await history(store, 91)).toHaveLength(10);
    await store.close();
  });

  test('cleaning after a compaction continues after a restart', async () => {
    const dir = newDirectory();
    const first = await openLmdbStore({ dir });
    for (let i = 0; i < 1000; i++) {
      const { entry } = await first.get(`${things}a`);
      if (entry) await first.update(`${things}a`, Buffer.from(String(i)), entry.modRevision);
      else await first.create(`${things}a`, Buffer.from(String(i)));
    }
    await first.compact(1000);
    await first.close();
    const second = await openLmdbStore({ dir });
    const { LmdbLedger } = await import('./lmdb-ledger.ts');
    const ledger = new LmdbLedger(dir);
    const scrubbed = () => {
      ledger.tables.root.resetReadTxn();
      return ledger.scrubbed;
    };
    await expect.poll(scrubbed, { timeout: 15_000 }).toBe(1000);
    expect([ledger.tables.log.getKeysCount({}), ledger.tables.values.getKeysCount({})]).toEqual([1, 2]);
    await ledger.tables.root.close();
    await second.close();
  });
});
