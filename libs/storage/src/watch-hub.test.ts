import { expect, it } from 'vitest';
import { createMemoryStore } from './memory-store.ts';
import { duringTurns, useShortSlices } from './short-slices.fixture.ts';
import type { Store, WatchBatch, WatchOptions } from './store.ts';

const bytes = Buffer.from('x');

/** Watches until a batch covers this revision. */
async function watchUntil(
  store: Store,
  prefix: string,
  until: number,
  options: Omit<WatchOptions, 'signal'>,
): Promise<WatchBatch[]> {
  const batches: WatchBatch[] = [];
  for await (const batch of store.watch(prefix, { ...options, signal: new AbortController().signal })) {
    batches.push(batch);
    if (batch.revision >= until) break;
  }
  return batches;
}

it('a watch of the past reads the log in slices, and reports no progress within them', async () => {
  const store = createMemoryStore();
  for (let i = 0; i < 1000; i++) await store.create(`/others/${i}`, bytes);
  const until = await store.create('/things/a', bytes);
  useShortSlices();
  const watch = watchUntil(store, '/things/', until, { fromRevision: 1, progress: true });
  const { result, turns } = await duringTurns(watch);
  expect(result.map(({ revision, events }) => [revision, events.length])).toEqual([[until, 1]]);
  expect(turns).toBeGreaterThan(10);
  await store.close();
});

it('a watch of the past delivers every event once, whatever is written between its slices', async () => {
  const store = createMemoryStore();
  for (let i = 0; i < 500; i++) await store.create(`/things/${i}`, bytes);
  useShortSlices();
  const watch = watchUntil(store, '/things/', 521, { fromRevision: 1 });
  const { result } = await duringTurns(
    watch,
    (turn) => turn < 20 && store.create(`/things/new-${turn}`, bytes),
  );
  const revisions = result.flatMap(({ events }) => events.map(({ entry }) => entry.modRevision));
  expect(revisions).toEqual(Array.from({ length: 520 }, (_, i) => i + 2));
  await store.close();
});

it('a watch of the past fails if the rest of it is compacted', async () => {
  const store = createMemoryStore();
  for (let i = 0; i < 500; i++) await store.create(`/things/${i}`, bytes);
  useShortSlices();
  const watch = watchUntil(store, '/others/', 501, { fromRevision: 1, progress: true });
  const failure = duringTurns(watch, (turn) => turn === 2 && store.compact(501));
  await expect(failure).rejects.toMatchObject({ code: 'compacted' });
  await store.close();
});

it('a write reaches more watches than continue in one turn', async () => {
  const store = createMemoryStore();
  const watches = Array.from({ length: 450 }, (_, i) =>
    watchUntil(store, i % 2 === 0 ? '/things/' : '/others/', 2, { fromRevision: 1, progress: true }),
  );
  const { result, turns } = await duringTurns(Promise.all(watches), (turn) =>
    turn === 1 ? store.create('/things/a', bytes) : undefined,
  );
  expect(result.map(([batch]) => batch?.events.length)).toEqual(watches.map((_, i) => (i + 1) % 2));
  expect(turns).toBeGreaterThan(4);
  await store.close();
});
