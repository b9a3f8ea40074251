import { createMetrics } from '@annex/runtime';
import { createMemoryStore } from '@annex/storage';
import { expect, test } from 'vitest';
import { measuredStore } from './measured-store.ts';

test('operations of a store are counted by name, including failed ones, with unchanged results', async () => {
  const metrics = createMetrics();
  const store = measuredStore(createMemoryStore(), metrics);
  const revision = await store.create('/registry/a', Buffer.from('1'));
  await expect(store.create('/registry/a', Buffer.from('2'))).rejects.toMatchObject({ code: 'exists' });
  await store.update('/registry/a', Buffer.from('3'), revision);
  expect(Buffer.from((await store.get('/registry/a')).entry?.value ?? '').toString()).toBe('3');
  const watched = store.watch('/registry/', { fromRevision: revision, signal: AbortSignal.timeout(5_000) });
  for await (const { events } of watched) {
    expect(events.map(({ type }) => type)).toEqual(['put']);
    break;
  }
  expect(store.revision).toBe(await store.currentRevision());
  await store.close();
  const text = await metrics.render();
  expect(text).toContain('etcd_request_duration_seconds_count{operation="create"} 2');
  expect(text).toContain('etcd_request_duration_seconds_count{operation="update"} 1');
  expect(text).toContain('etcd_request_duration_seconds_count{operation="get"} 1');
});
