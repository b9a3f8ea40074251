import { createFeed, createMemoryStore, type Store } from '@annex/storage';
import { afterEach, expect, it, vi } from 'vitest';
import { storeCheckTimeoutMs, storeHealthChecks } from './store-health.ts';

afterEach(() => void vi.useRealTimers());

it('checks of a store that does not respond fail after two seconds; the watch cache stays synced', async () => {
  vi.useFakeTimers();
  const silent = new Promise<never>(() => undefined);
  const memory = createMemoryStore();
  const feed = createFeed(memory);
  const loading = feed.objects('/registry/namespaces/').waitFor();
  await vi.advanceTimersByTimeAsync(1);
  await loading;
  const store: Store = { ...memory, currentRevision: () => silent };
  const checks = storeHealthChecks({ store, feed });
  const results = Promise.allSettled(checks.map(async (one) => one.check()));
  await vi.advanceTimersByTimeAsync(storeCheckTimeoutMs);
  expect(Object.fromEntries((await results).map(({ status }, i) => [checks[i]!.name, status]))).toEqual({
    ping: 'fulfilled',
    log: 'fulfilled',
    etcd: 'rejected',
    'etcd-readiness': 'rejected',
    'informer-sync': 'fulfilled',
  });
});
