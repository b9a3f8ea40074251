import { describe, expect, test } from 'vitest';
import { createMemoryStore } from '../memory-store.ts';
import { storeContract } from '../store.contract.ts';
import type { Store, WatchBatch } from '../store.ts';
import { maxUnreadBatches } from './protocol.ts';
import { shareStore } from './share-store.ts';
import { openThreadStore } from './thread-store.ts';

/** A shared store in memory, and a connection to it, which closes both. */
function open() {
  const { store: own, connect } = shareStore(createMemoryStore());
  const thread = openThreadStore(connect());
  const close = thread.close.bind(thread);
  return {
    own,
    connect,
    thread: Object.assign(thread, { close: () => close().then(() => own.close()) }) as Store,
  };
}

storeContract('a store of another thread', { open: async () => open().thread });

storeContract('a store that other threads use', { open: async () => open().own });

const value = (text: string) => Buffer.from(text);

describe('a shared store', () => {
  test('reports a revision to all threads as soon as one knows it', async () => {
    const { own, thread } = open();
    expect(thread.revision).toBe(1);
    const written = await own.create('/registry/a/b', value('x'));
    expect(thread.revision).toBe(written);
    await expect(thread.currentRevision()).resolves.toBe(written);
    const second = await thread.create('/registry/a/c', value('y'));
    expect([own.revision, thread.revision]).toEqual([second, second]);
    await thread.close();
    expect(thread.revision).toBeUndefined();
  });

  test('reports a compaction to all threads', async () => {
    const { own, thread } = open();
    const written = await own.create('/registry/a/b', value('x'));
    expect(thread.compacted).toBe(0);
    await own.compact(written);
    expect([own.compacted, thread.compacted]).toEqual([written, written]);
    await thread.close();
    expect(thread.compacted).toBeUndefined();
  });

  test('is closed for all threads', async () => {
    const { own, thread } = open();
    await own.close();
    expect(thread.revision).toBeUndefined();
    await expect(thread.currentRevision()).rejects.toMatchObject({ code: 'unavailable' });
    await expect(thread.get('/registry/a/b')).rejects.toMatchObject({ code: 'unavailable' });
    await thread.close();
  });

  test('delivers the bytes of an event to all threads in the same memory', async () => {
    const { own, thread, connect } = open();
    const other = openThreadStore(connect());
    const revision = await own.create('/registry/a/b', value('first'));
    const next = async (store: Store) => {
      const signal = new AbortController().signal;
      for await (const batch of store.watch('/registry/', { fromRevision: revision - 1, signal }))
        return batch;
      return undefined;
    };
    const [one, two, written] = await Promise.all([next(thread), next(other), next(own)]);
    const bytes = one!.events[0]!.entry.value;
    expect(bytes.buffer).toBeInstanceOf(SharedArrayBuffer);
    bytes[0] = 'F'.charCodeAt(0);
    const others = [two, written].map((batch) => Buffer.from(batch!.events[0]!.entry.value).toString());
    expect(others).toEqual(['First', 'First']);
    await other.close();
    await thread.close();
  });

  test('shares a value that another thread writes without a copy of its pool', async () => {
    const { own, thread } = open();
    await thread.create('/registry/a/b', value('pooled'));
    const { entry } = await own.get('/registry/a/b');
    expect(entry!.value.buffer.byteLength).toBe(6);
    await thread.close();
  });

  test('sends a thread that does not read at most maxUnreadBatches', async () => {
    const { own, thread } = open();
    const fromRevision = await own.create('/registry/a/0', value('x'));
    const stop = new AbortController();
    const options = { fromRevision, signal: stop.signal, progress: true };
    const reading = thread.watch('/registry/', options)[Symbol.asyncIterator]();
    const first = reading.next();
    await own.create('/registry/a/1', value('x'));
    expect((await first).value?.revision).toBe(fromRevision + 1);
    // Each write is a batch of its own. The round trip ends after what was sent before.
    for (let i = 2; i < 100; i++) {
      await own.create(`/registry/a/${i}`, value('x'));
      await thread.get('/registry/none');
    }
    const batches: WatchBatch[] = [];
    for (let last = 0; last < fromRevision + 99;) {
      const { value: batch } = (await reading.next()) as { value: WatchBatch };
      batches.push(batch);
      last = batch.revision;
    }
    const events = batches.flatMap((batch) => batch.events.map(({ entry }) => entry.modRevision));
    expect(events).toEqual(Array.from({ length: 98 }, (_, i) => fromRevision + 2 + i));
    // Those that waited in the thread of the store came together.
    expect(batches.findIndex((batch) => batch.events.length > 1)).toBe(maxUnreadBatches - 1);
    stop.abort();
    await thread.close();
  });
});
